// Blobs on disk: whole or not there, bounded by age and by size, and gone with their repository.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type BlobCache, type Blobs, blobCache, blobSha, blobsInMemory } from "../../src/adapters/blob-cache.ts";
import { BLOB_DAYS, DAY_MS } from "../../src/adapters/retention.ts";

const SHOP = { host: "github.com", id: 42 };
const BANK = { host: "github.com", id: 43 };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kodiai-blobs-"));
});
afterEach(async () => {
  for (const cache of caches.splice(0)) await cache.clear();
  rmSync(folder, { recursive: true, force: true });
});

const caches: BlobCache[] = [];
function opened(...given: Parameters<typeof blobCache>): BlobCache {
  const cache = blobCache(...given);
  caches.push(cache);
  return cache;
}

const blob = (text: string) => {
  const bytes = Buffer.from(text);
  return { sha: blobSha(bytes), bytes };
};
const fill = async (blobs: Blobs, texts: readonly string[]) => {
  for (const text of texts) expect(await blobs.keep(blob(text).sha, blob(text).bytes)).toBe(true);
};
const own = ({ host, id }: typeof SHOP) => join(folder, "snapshots", encodeURIComponent(`${host}/${id}`));

test("a blob has the name that git gives it", () => {
  expect(blobSha(Buffer.from("hello\n"))).toBe("ce013625030ba8dba906f756967f9e9ca394464a");
  expect(blobSha(Buffer.alloc(0))).toBe("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  expect(blobSha(Buffer.from("hello\n"), 64)).toHaveLength(64);
});

describe.each([
  ["on disk", () => opened(folder).of(SHOP)],
  ["in memory", () => blobsInMemory()],
])("%s", (_name, made) => {
  test("what is kept is known and read by its SHA; of a binary only that it is one", async () => {
    const blobs = made();
    expect(await blobs.known()).toEqual(new Map());
    const [text, empty, binary] = [blob("hello\n"), blob(""), blob("\0\u0001")];
    for (const { sha, bytes } of [text, empty, binary, text]) await blobs.keep(sha, bytes);
    expect(await blobs.known()).toEqual(
      new Map([
        [text.sha, true],
        [empty.sha, true],
        [binary.sha, false],
      ]),
    );
    expect(await blobs.read(text.sha)).toEqual(text.bytes);
    expect(await blobs.read(empty.sha)).toEqual(empty.bytes);
    expect(await blobs.read(binary.sha)).toBeNull();
    expect(await blobs.read("0".repeat(40))).toBeNull();
  });
});

const files = (repo: typeof SHOP) => (existsSync(own(repo)) ? readdirSync(own(repo)) : []);
/** Bytes and inodes below the folder, as `du` counts them. */
function taken(path: string): { readonly bytes: number; readonly inodes: number } {
  const { blocks } = statSync(path);
  const below = statSync(path).isDirectory() ? readdirSync(path).map((name) => taken(join(path, name))) : [];
  return below.reduce((sum, { bytes, inodes }) => ({ bytes: sum.bytes + bytes, inodes: sum.inodes + inodes }), {
    bytes: blocks * 512,
    inodes: 1,
  });
}

test("what was not written yet is none to others, and a file that is cut, changed or foreign is a miss", async () => {
  const cache = opened(folder);
  const other = opened(folder);
  const { sha, bytes } = blob("hello\n");
  await cache.of(SHOP).keep(sha, bytes);
  expect(await other.of(SHOP).known()).toEqual(new Map());
  await cache.trim();
  const [name = ""] = files(SHOP);
  const whole = readFileSync(join(own(SHOP), name));
  const readBy = async (content: Buffer) => {
    rmSync(own(SHOP), { recursive: true, force: true });
    mkdirSync(own(SHOP), { recursive: true });
    writeFileSync(join(own(SHOP), name), content);
    const blobs = opened(folder).of(SHOP);
    await blobs.known();
    return (await blobs.read(sha))?.toString() ?? null;
  };
  expect(await readBy(whole)).toBe("hello\n");
  for (let length = 0; length < whole.length; length += 1_021)
    expect(await readBy(whole.subarray(0, length))).toBeNull();
  expect(await readBy(Buffer.from("notes of somebody else\n".repeat(1_000)))).toBeNull();
  const at = whole.indexOf("hello");
  for (const place of [...Array.from({ length: 100 }, (_, byte) => byte), at, at + 4]) {
    const changed = Buffer.from(whole);
    changed[place] = (changed[place] ?? 0) ^ 0x55;
    const read = await readBy(changed);
    expect(read === null || (place < at && read === "hello\n")).toBe(true);
    // A damaged one does not stay.
    if (read === null)
      expect(files(SHOP).some((one) => readFileSync(join(own(SHOP), one)).equals(changed))).toBe(false);
  }
});

test("a process that is killed while it writes leaves what it wrote before", async () => {
  const child = join(folder, "keep.ts");
  const module = join(import.meta.dirname, "../../src/adapters/blob-cache.ts");
  writeFileSync(
    child,
    `import { blobCache, blobSha } from ${JSON.stringify(module)};
     const cache = blobCache(${JSON.stringify(folder)});
     for (let at = 0; ; at += 1) {
       const bytes = Buffer.from(String(at).padStart(3_000, "0"));
       await cache.of(${JSON.stringify(SHOP)}).keep(blobSha(bytes), bytes);
       if (at === 2_000) console.log("writes");
     }`,
  );
  const writer = spawn(process.execPath, [child], { stdio: ["ignore", "pipe", "inherit"] });
  await once(writer.stdout, "data");
  writer.kill("SIGKILL");
  await once(writer, "exit");
  const blobs = opened(folder).of(SHOP);
  const known = [...(await blobs.known()).keys()];
  expect(known.length).toBeGreaterThan(500);
  for (const sha of known.slice(0, 500)) expect(await blobs.read(sha)).toHaveLength(3_000);
});

test("blobs go seven days after they were kept, with their folder", async () => {
  const cache = opened(folder);
  await fill(cache.of(SHOP), ["a", "b"]);
  await cache.trim();
  // Use keeps nothing longer.
  await cache.of(SHOP).known();
  expect(await cache.expire(Date.now() + (BLOB_DAYS - 0.1) * DAY_MS)).toBe(0);
  expect(await cache.expire(Date.now() + (BLOB_DAYS + 0.1) * DAY_MS)).toBe(1);
  expect(readdirSync(join(folder, "snapshots"))).toEqual([]);
});

test.each([
  ["one for each blob", [blob("a").sha, `${blob("b").sha}.binary`]],
  ["one for each snapshot", ["1795899608106-0123456789ab.pack", "1795899608107-0123456789ab.pack~"]],
])("the files of an earlier version, %s, go at the first start", async (_name, old) => {
  mkdirSync(own(SHOP), { recursive: true });
  for (const name of old) writeFileSync(join(own(SHOP), name), "a");
  await opened(folder).expire(Date.now());
  expect(readdirSync(join(folder, "snapshots"))).toEqual([]);
});

test.each([
  ["five bytes each", (at: number) => Buffer.from(String(at).padStart(5, "0"))],
  ["binary", (at: number) => Buffer.from(`\0${at}`)],
  ["300 bytes each", (at: number) => Buffer.from(String(at).padStart(300, "0"))],
  ["a megabyte each, a few of them", (at: number) => (at < 6 ? Buffer.alloc(1 << 20, `${at}\n`) : Buffer.from("0"))],
])("with a limit of 1 MB no two pushes of 20,000 files leave more than that on the disk: %s", async (_name, made) => {
  const cache = opened(folder, 1 << 20);
  for (const repo of [SHOP, BANK])
    for (const from of [0, 20_000]) {
      const blobs = cache.of(repo);
      await blobs.known();
      for (let at = from; at < from + 20_000; at += 1) {
        const bytes = made(at);
        await blobs.keep(blobSha(bytes), bytes);
      }
      expect(taken(folder).bytes).toBeLessThan(1.5 * (1 << 20));
      await cache.trim();
      expect(taken(folder).bytes).toBeLessThan(1.05 * (1 << 20));
    }
  expect(taken(folder).inodes).toBeLessThan(12);
});

test("pushes of one file each leave one file, and what they kept is found and as old as it was", async () => {
  const cache = opened(folder);
  const others = opened(folder);
  for (let at = 0; at < 50; at += 1) {
    await fill((at % 2 ? others : cache).of(SHOP), [`push ${at}`]);
    await (at % 2 ? others : cache).trim();
  }
  expect(files(SHOP)).toHaveLength(1);
  const blobs = cache.of(SHOP);
  expect((await blobs.known()).size).toBe(50);
  expect((await blobs.read(blob("push 0").sha))?.toString()).toBe("push 0");
  await cache.expire(Date.now() + (BLOB_DAYS + 0.1) * DAY_MS);
  expect((await blobs.known()).size).toBe(0);
});

test("one repository displaces its own blobs and not those of another; what a review reads moves under it unnoticed", async () => {
  const cache = opened(folder, 1 << 20);
  const bank = cache.of(BANK);
  await fill(bank, ["Bank"]);
  await cache.trim();
  await bank.known();
  for (let push = 0; push < 30; push += 1) {
    await fill(cache.of(SHOP), [`${push}`.repeat(50_000)]);
    await cache.trim();
  }
  expect((await bank.read(blob("Bank").sha))?.toString()).toBe("Bank");
  expect(taken(own(SHOP)).bytes).toBeLessThan((1 << 20) / 3);
  for (let push = 0; push < 10; push += 1) {
    await fill(cache.of(BANK), [`more ${push}`]);
    await cache.trim();
  }
  expect((await bank.read(blob("Bank").sha))?.toString()).toBe("Bank");
});

test("above its bound the repository goes first that was asked for longest ago", async () => {
  const cache = opened(folder, 400_000);
  const repos = [1, 2, 3, 4, 5, 6].map((id) => ({ host: "github.com", id }));
  for (const [at, repo] of repos.entries()) {
    await fill(cache.of(repo), [`${at}`.repeat(70_000)]);
    await cache.trim();
    for (const name of files(repo)) utimesSync(join(own(repo), name), 0, Date.now() / 1_000 - 100 + at);
    if (at === 3) await cache.of(repos[0] as typeof SHOP).known();
  }
  expect(repos.map((repo) => existsSync(own(repo)))).toEqual([true, false, false, true, true, true]);
});

test("what has no room is not kept, and that is said", async () => {
  const blobs = opened(folder, 100_000).of(SHOP);
  const [small, large] = [blob("small"), blob("x".repeat(60_000))];
  expect(await blobs.keep(small.sha, small.bytes)).toBe(true);
  expect(await blobs.keep(large.sha, large.bytes)).toBe(false);
  expect([...(await blobs.known()).keys()]).toEqual([small.sha]);
});

test("a repository that is forgotten takes its blobs along, and no other's", async () => {
  const cache = opened(folder);
  await fill(cache.of(SHOP), ["a"]);
  await fill(cache.of(BANK), ["a"]);
  await cache.forget(SHOP);
  expect(readdirSync(join(folder, "snapshots"))).toEqual(["github.com%2F43"]);
  expect(await cache.of(SHOP).known()).toEqual(new Map());
  // What else lies there is not ours.
  writeFileSync(join(folder, "snapshots", "notes"), "x");
  await cache.clear();
  await cache.expire(Date.now() + 30 * DAY_MS);
  expect(readdirSync(join(folder, "snapshots"))).toEqual(["notes"]);
});
