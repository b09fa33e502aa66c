// Blobs on disk: whole or not there, bounded by age and by size, and gone with their repository.
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Blobs, blobCache, blobSha, blobsInMemory } from "../../src/adapters/blob-cache.ts";
import { BLOB_DAYS, DAY_MS } from "../../src/adapters/retention.ts";

const SHOP = { host: "github.com", id: 42 };
const BANK = { host: "github.com", id: 43 };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kodiai-blobs-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const blob = (text: string) => {
  const bytes = Buffer.from(text);
  return { sha: blobSha(bytes), bytes };
};
const fill = (blobs: Blobs, texts: readonly string[]) => {
  for (const text of texts) blobs.keep(blob(text).sha, blob(text).bytes);
};
const own = ({ host, id }: typeof SHOP) => join(folder, "snapshots", encodeURIComponent(`${host}/${id}`));
/** As if a blob had been kept, or a repository asked for, so many days ago. */
const age = (path: string, days: number) => utimesSync(path, 0, (Date.now() - days * DAY_MS) / 1_000);

test("a blob has the name that git gives it", () => {
  expect(blobSha(Buffer.from("hello\n"))).toBe("ce013625030ba8dba906f756967f9e9ca394464a");
  expect(blobSha(Buffer.alloc(0))).toBe("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  expect(blobSha(Buffer.from("hello\n"), 64)).toHaveLength(64);
});

describe.each([
  ["on disk", () => blobCache(folder).of(SHOP)],
  ["in memory", () => blobsInMemory()],
])("%s", (_name, made) => {
  test("what is kept is known and read by its SHA; of a binary only that it is one", async () => {
    const blobs = made();
    expect(await blobs.known()).toEqual(new Map());
    const [text, empty, binary] = [blob("hello\n"), blob(""), blob("\0\u0001")];
    for (const { sha, bytes } of [text, empty, binary, text]) blobs.keep(sha, bytes);
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

test("what a process left half written is none, and what is damaged is removed when it is read", async () => {
  const blobs = blobCache(folder).of(SHOP);
  const { sha, bytes } = blob("hello\n");
  blobs.keep(sha, bytes);
  writeFileSync(join(own(SHOP), `${blob("other").sha}~0f3a`), "oth");
  expect([...(await blobs.known()).keys()]).toEqual([sha]);
  writeFileSync(join(own(SHOP), sha), "");
  expect(await blobs.read(sha)).toBeNull();
  expect(await blobs.known()).toEqual(new Map());
});

test("blobs go seven days after they were kept, with what was left half written, and then their folder", async () => {
  const cache = blobCache(folder);
  fill(cache.of(SHOP), ["a", "b"]);
  writeFileSync(join(own(SHOP), `${blob("c").sha}~0f3a`), "c");
  age(join(own(SHOP), blob("a").sha), BLOB_DAYS - 0.1);
  for (const name of [blob("b").sha, `${blob("c").sha}~0f3a`]) age(join(own(SHOP), name), BLOB_DAYS + 0.1);
  expect(await cache.expire(Date.now())).toBe(2);
  expect(readdirSync(own(SHOP))).toEqual([blob("a").sha]);
  expect(await cache.expire(Date.now() + DAY_MS)).toBe(1);
  expect(readdirSync(join(folder, "snapshots"))).toEqual([]);
});

test("above its bound the repository goes first that was asked for longest ago, its oldest blobs before the others", async () => {
  const cache = blobCache(folder, 1_000);
  fill(cache.of(BANK), ["1".repeat(300), "2".repeat(300)]);
  fill(cache.of(SHOP), ["3".repeat(300)]);
  age(join(own(BANK), blob("2".repeat(300)).sha), 2);
  age(own(SHOP), 1);
  age(own(BANK), 3);
  await cache.expire(Date.now());
  expect([readdirSync(own(BANK)).length, readdirSync(own(SHOP)).length]).toEqual([2, 1]);

  fill(cache.of(SHOP), ["4".repeat(300)]);
  age(own(BANK), 3);
  await cache.trim();
  expect(readdirSync(own(BANK))).toEqual([blob("1".repeat(300)).sha]);
  expect(readdirSync(own(SHOP))).toHaveLength(2);
  // Removing is no use: the same repository is the next to go.
  expect(statSync(own(BANK)).mtimeMs).toBeLessThan(Date.now() - 2 * DAY_MS);

  fill(cache.of(SHOP), ["5".repeat(100)]);
  await cache.of(BANK).known();
  age(own(SHOP), 1);
  fill(cache.of(BANK), ["6".repeat(10)]);
  await cache.trim();
  expect(readdirSync(own(BANK))).toHaveLength(2);
});

test("a repository that is forgotten takes its blobs along, and no other's", async () => {
  const cache = blobCache(folder);
  fill(cache.of(SHOP), ["a"]);
  fill(cache.of(BANK), ["a"]);
  await cache.forget(SHOP);
  expect(readdirSync(join(folder, "snapshots"))).toEqual(["github.com%2F43"]);
  expect(await cache.of(SHOP).known()).toEqual(new Map());
  // What else lies there is not ours.
  writeFileSync(join(folder, "snapshots", "notes"), "x");
  await cache.clear();
  await cache.expire(Date.now() + 30 * DAY_MS);
  expect(readdirSync(join(folder, "snapshots"))).toEqual(["notes"]);
});
