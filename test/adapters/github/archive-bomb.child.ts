// Takes a snapshot whose archive is a bomb, in a process of its own, and says what came of it and how much memory that took.
// node test/adapters/github/archive-bomb.child.ts zeros|files|folders|header
import { gzipSync } from "node:zlib";
import { snapshotWorld } from "./snapshot-world.ts";

const MB = 1 << 20;
const BLOCK = 512;

/** One header of a tar: `type` is 0 for a file, 5 for a folder, x for headers that follow. */
function header(name: string, bytes: number, type: "0" | "5" | "x"): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, "latin1");
  block.write("0000644\0", 100, "latin1");
  block.write(bytes.toString(8).padStart(11, "0"), 124, "latin1");
  block.write(`        ${type}`, 148, "latin1");
  block.write("ustar\u000000", 257, "latin1");
  let sum = 0;
  for (const byte of block) sum += byte;
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

/** Eight gigabytes in one file: a hundred megabytes, packed once, eighty times. */
function zeros(): Buffer {
  const more = gzipSync(Buffer.alloc(100 * MB), { level: 9 });
  return Buffer.concat([
    gzipSync(header("acme-shop/zeros", 8 ** 11 - 1, "0")),
    ...Array.from({ length: 80 }, () => more),
  ]);
}

function many(type: "0" | "5"): Buffer {
  const blocks = Array.from({ length: 100_001 }, (_, at) => header(`acme-shop/${at}`, 0, type));
  return gzipSync(Buffer.concat(blocks));
}

function longHeader(): Buffer {
  return gzipSync(Buffer.concat([header("pax", 150 * MB, "x"), Buffer.alloc(150 * MB, 97)]));
}

const BOMBS = { zeros, files: () => many("0"), folders: () => many("5"), header: longHeader };
const files = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`src/part${at}.ts`, `// ${at}\n`]));
const given = await snapshotWorld(files);
const bomb = BOMBS[process.argv[2] as keyof typeof BOMBS]();
// Made by now, in memory that the snapshot did not take.
const before = process.resourceUsage().maxRSS;
given.world.archives.answer = () => new Response(new Uint8Array(bomb));
const { snapshot, degraded } = await given.taken();
await given.close();
console.log(
  JSON.stringify({
    isThere: snapshot !== null,
    reason: degraded.map(({ reason }) => reason).join(),
    rssMb: Math.round(process.resourceUsage().maxRSS / 1024),
    beforeMb: Math.round(before / 1024),
  }),
);
