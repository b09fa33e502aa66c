// Archives that want harm, met by the deployed server on its defaults: the review is posted without
// the repository and says why, and the kernel counts the memory of the process.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { pack } from "tar-stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { gigabytesOfZeros, longHeader, manyEntries } from "../adapters/github/archive-bombs.ts";
import { type ArchivedFile, archiveOf, bytesOf } from "../fakes/github/archive-routes.ts";
import { until } from "./app-harness.ts";
import { LOGIN, said, summaryOf, WEAK_LOGIN } from "./change-builders.ts";
import { type Deployment, deployment, type ServerProcess } from "./server-process.ts";

let deployed: Deployment;
let server: ServerProcess;
beforeAll(async () => {
  deployed = await deployment();
  server = await deployed.start();
});
afterAll(() => deployed.close());

/** More files than are worth asking for one by one. */
const BASE = {
  "src/login.ts": LOGIN,
  ...Object.fromEntries(
    Array.from({ length: 80 }, (_, at) => [`src/part${at}.ts`, `export const part${at} = ${at};\n`]),
  ),
};
/** Callers of a changed signature are looked for in the repository. */
const CHANGED = WEAK_LOGIN.replace("etag(content: string)", "etag(content: string, salt: string)");

async function entry(header: { readonly name: string; readonly type?: "symlink"; readonly linkname?: string }) {
  const tar = pack();
  if (header.type === undefined) tar.entry(header, "x");
  else tar.entry(header);
  tar.finalize();
  return gzipSync(await bytesOf(tar));
}

/** Sends its first half and then nothing. */
async function endless(files: readonly ArchivedFile[]) {
  const bytes = await archiveOf(files, "acme-shop");
  return new ReadableStream({
    start: (controller) => controller.enqueue(new Uint8Array(bytes.subarray(0, bytes.length / 2))),
  });
}

const ARCHIVES: readonly [
  name: string,
  made: (files: readonly ArchivedFile[]) => Buffer | Promise<Buffer | ReadableStream>,
  reason: string,
][] = [
  ["eight gigabytes of zeros", gigabytesOfZeros, "the unpacked archive is larger than 200 MB"],
  ["a hundred thousand files", () => manyEntries("0"), "the archive has more than 50,000 files"],
  ["a hundred thousand folders", () => manyEntries("5"), "the archive has more than 50,000 files"],
  ["a header of 150 megabytes", longHeader, "the archive is damaged or breaks off"],
  ["a name with ..", () => entry({ name: "acme-shop/../../etc/cron.d/x" }), "a name that leads out of it"],
  [
    "a link out of it",
    () => entry({ name: "acme-shop/x", type: "symlink", linkname: "/etc/passwd" }),
    "a link or a device",
  ],
  ["one that never ends", endless, "it could not be read within 30 s"],
];

let repositories = 0;

test.each(ARCHIVES)("%s", async (_name, made, reason) => {
  const { world } = deployed;
  world.archives.answer = async (files) => {
    const body = await made(await files());
    return new Response(Buffer.isBuffer(body) ? new Uint8Array(body) : body);
  };
  const repository = await world.repository("acme", `shop-${++repositories}`, { files: BASE });
  const pull = await world.pullRequest(repository, { title: "Hash it", files: { "src/login.ts": CHANGED } });
  await until("the review is posted", () => said(world, pull).length > 0);
  expect(said(world, pull)).toEqual(["src/login.ts:8 weak-password-hash"]);
  const summary = summaryOf(world, pull).body;
  expect(summary).toContain("files around the change were not read");
  expect(summary).toContain(reason);
  expect(world.violations).toEqual([]);
  const peakKb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, "utf8"))?.[1]);
  console.log(`${_name}: the process took ${Math.round(peakKb / 1024)} MB at most`);
  expect(peakKb).toBeLessThanOrEqual(512 * 1024);
});
