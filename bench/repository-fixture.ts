// A GitHub of our own with a repository of 5,000 files. Prints how to reach it; the first line on
// standard input says where webhooks go, each further one opens a pull request of 20 files.
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { archiveOf } from "../test/fakes/github/archive-routes.ts";
import { startGitHub } from "../test/fakes/github/github.ts";

const FILES = 5_000;
const CHANGED = 20;
/** Of these so many change a signature, which so many other files call. */
const SIGNATURES = 4;
const CALLERS = 5;

const folder = new URL("../src/", import.meta.url);
const texts = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => readFileSync(new URL(path, folder), "utf8"));
const textOf = (at: number) => `// File ${at}.\n${texts[at % texts.length]}`;
const takes = (at: number, parameters: string) =>
  `${textOf(at)}\nexport function changed${at}(${at < SIGNATURES ? parameters : ""}) {\n  return "${parameters}";\n}\n`;
const calls = (at: number) => {
  const named = `changed${Math.floor((at - CHANGED) / CALLERS)}`;
  const file = `../part0/file${named.slice("changed".length)}.ts`;
  return `import { ${named} } from "${file}";\n${textOf(at)}\n${named}(1, 2);\n`;
};
const pathOf = (at: number) => `src/part${at < CHANGED ? 0 : 1 + (at % 60)}/file${at}.ts`;
const files: Record<string, string> = {};
for (let at = 0; at < FILES; at++) {
  const isCaller = at >= CHANGED && at < CHANGED + SIGNATURES * CALLERS;
  files[pathOf(at)] = at < CHANGED ? takes(at, "a, b") : isCaller ? calls(at) : textOf(at);
}

/**
 * As GitHub would pack it; the emulator hands out one blob after the other, which takes it a
 * minute.
 */
function packed(all: Readonly<Record<string, string>>): Promise<Buffer> {
  const entries = Object.entries(all).map(([path, text]) => ({ path, mode: "100644", bytes: Buffer.from(text) }));
  return archiveOf(entries, "acme-large-0000000");
}

const world = await startGitHub();
const repository = await world.repository("acme", "large", { files });
const bytes = Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
console.log(JSON.stringify({ apiUrl: world.apiUrl, ...world.appCredentials, files: FILES, bytes }));

let opened = 0;
for await (const line of createInterface({ input: process.stdin })) {
  if (opened === 0) world.setWebhookUrl(line);
  else {
    const entries = Array.from({ length: CHANGED }, (_, at) => [pathOf(at), takes(at, `a, b, c${opened}`)]);
    const changed = Object.fromEntries(entries);
    const archive = new Uint8Array(await packed({ ...files, ...changed }));
    world.archives.answer = () => new Response(archive);
    // Packing stops everything else; connections that ended meanwhile have to be noticed before the
    // next request.
    await new Promise((resolve) => setTimeout(resolve, 500));
    void world.pullRequest(repository, { title: `Change ${opened}`, files: changed });
  }
  opened += 1;
}
