// Packs a folder of recorded replies into FOLDER.jsonl.gz, which `npm run eval` reads in its place:
//
//   node scripts/launch.mjs scripts/pack-replies.ts FOLDER
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { PACKED, packReplies, readReplies } from "../eval/packed-replies.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("say which folder: node scripts/launch.mjs scripts/pack-replies.ts FOLDER");
const files = await readReplies(folder);
if (files.size === 0) throw new Error(`${folder} has no replies`);
const packed = `${resolve(folder)}${PACKED}`;
writeFileSync(packed, packReplies(files));
console.log(`${packed}: ${files.size} files`);
