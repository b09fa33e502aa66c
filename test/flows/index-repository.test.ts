import { afterEach, beforeEach, expect, test } from "vitest";
import { astChunker } from "../../src/adapters/code-index/chunker.ts";
import { gitTree } from "../../src/adapters/git/snapshot.ts";
import { secretRedactor } from "../../src/adapters/secrets/redact.ts";
import { type IndexedCorpus, indexRepository } from "../../src/flows/repository/index-repository.ts";
import { type Clone, givenClone } from "../adapters/git/clone.ts";
import { type FakeEmbedder, type FakeMemory, fakeEmbedder, fakeMemory } from "../fakes/memory.ts";
import { AT, REPO } from "../learn/memory-builders.ts";

let clone: Clone;
let memory: FakeMemory;
let embedder: FakeEmbedder;
beforeEach(() => {
  clone = givenClone();
  memory = fakeMemory();
  embedder = fakeEmbedder();
});
afterEach(() => clone.remove());

const redactor = secretRedactor();
const redact = async (text: string) => (await redactor.redact(text)).text;

async function index(corpora: readonly IndexedCorpus[] = ["doc", "code"]) {
  const tree = await gitTree(clone.path, "HEAD");
  const asked = embedder.asked.length;
  const urlOf = (path: string) => `https://github.com/acme/payments/blob/${tree.commit}/${path}`;
  const request = { repo: REPO, corpora, at: AT, remembering: { redact }, urlOf };
  const done = await indexRepository(request, { tree, chunker: astChunker(), embedder, memory });
  return { ...done, asked: embedder.asked.slice(asked) };
}

const sources = () =>
  memory
    .all()
    .map(({ sourceId }) => sourceId)
    .sort();

const CART = `/** Sums up. */
export function total(items) {
  return items.length;
}

export function clear(items) {
  items.length = 0;
}
`;
const GUIDE = "# Guide\n\n## Retries\n\nRetry thrice.\n\n## Errors\n\nTell them apart.\n";

test("documents and code of a commit are remembered, each with its place", async () => {
  const commit = clone.commit({
    "src/cart.js": CART,
    "docs/guide.md": GUIDE,
    "README.md": "Hello, `code`.\n",
    "notes.txt": "x",
  });
  expect(await index()).toMatchObject({
    commit,
    files: { read: 3, unchanged: 0, removed: 0 },
    remembered: { added: 5, embedded: 5 },
    forgotten: 0,
    leftOut: [],
    degraded: [],
  });
  expect(sources()).toEqual([
    "README.md",
    "docs/guide.md#errors",
    "docs/guide.md#retries",
    "src/cart.js#clear",
    "src/cart.js#total",
  ]);
  expect(memory.all().find(({ sourceId }) => sourceId === "src/cart.js#total")).toMatchObject({
    corpus: "code",
    language: "javascript",
    symbol: "total",
    chunkType: "function",
    path: "src/cart.js",
    provenance: { url: `https://github.com/acme/payments/blob/${commit}/src/cart.js#L1-L4`, pull: null },
  });
  expect(memory.all().find(({ sourceId }) => sourceId === "docs/guide.md#errors")).toMatchObject({
    corpus: "doc",
    symbol: "Guide > Errors",
    chunkType: "section",
    provenance: { url: `https://github.com/acme/payments/blob/${commit}/docs/guide.md#errors` },
  });
});

test("a second run reads, embeds and writes nothing", async () => {
  clone.commit({ "src/cart.js": CART, "docs/guide.md": GUIDE });
  await index();
  const writes = memory.writes.length;
  expect(await index()).toMatchObject({
    files: { read: 0, unchanged: 2, removed: 0 },
    remembered: { added: 0, updated: 0, embedded: 0 },
    forgotten: 0,
    asked: [],
  });
  expect(memory.writes.length).toBe(writes);
});

test("of a changed file only what changed is embedded, and the next run reads nothing", async () => {
  clone.commit({ "src/cart.js": CART, "docs/guide.md": GUIDE });
  await index();
  clone.commit({ "src/cart.js": `// moved down\n\n${CART.replace("items.length = 0", "items.splice(0)")}` });
  const done = await index();
  expect(done).toMatchObject({ files: { read: 1, unchanged: 1 }, remembered: { added: 0, updated: 2, embedded: 1 } });
  expect(done.asked[0]).toContain("items.splice(0)");
  expect(await index()).toMatchObject({ files: { read: 0, unchanged: 2 } });
});

test("what is removed from the tree, or from its file, is forgotten", async () => {
  clone.commit({ "src/cart.js": CART, "docs/guide.md": GUIDE });
  await index();
  clone.commit({ "docs/guide.md": null, "src/cart.js": CART.slice(0, CART.indexOf("export function clear")) });
  expect(await index()).toMatchObject({ files: { removed: 1 }, forgotten: 3 });
  expect(sources()).toEqual(["src/cart.js#total"]);
});

test("a renamed file is remembered under its new name only", async () => {
  clone.commit({ "src/cart.js": CART });
  await index();
  clone.commit({ "src/cart.js": null, "src/basket.js": CART });
  expect(await index()).toMatchObject({ files: { read: 1, removed: 1 }, forgotten: 2, remembered: { added: 2 } });
  expect(sources()).toEqual(["src/basket.js#clear", "src/basket.js#total"]);
});

test("a corpus that is not asked for stays as it is", async () => {
  clone.commit({ "src/cart.js": CART, "docs/guide.md": GUIDE });
  await index();
  clone.commit({ "src/cart.js": null, "docs/guide.md": null });
  expect(await index(["doc"])).toMatchObject({ forgotten: 2 });
  expect(sources()).toEqual(["src/cart.js#clear", "src/cart.js#total"]);
});

test("other memories of the repository, and other repositories, are left alone", async () => {
  clone.commit({ "README.md": "Hello." });
  await index();
  const [row] = [...memory.rows.values()];
  if (row === undefined) throw new Error("nothing was remembered");
  const comment = { ...row, record: { ...row.record, id: "mem_c", corpus: "review_comment" as const } };
  const elsewhere = { ...row, record: { ...row.record, id: "mem_e", repo: "github.com/43" } };
  memory.rows.set("mem_c", comment).set("mem_e", elsewhere);
  clone.commit({ "README.md": null });
  expect(await index()).toMatchObject({ forgotten: 1 });
  expect([...memory.rows.keys()]).toEqual(["mem_c", "mem_e"]);
});

test("generated files are left out with the reason, and forgotten if they were remembered", async () => {
  clone.commit({ "src/cart.js": CART, "src/api.js": CART });
  await index();
  clone.commit({
    "src/api.js": `// Code generated by make. DO NOT EDIT.\n${CART}`,
    "vendor/x/y.go": "package y\nfunc Y() {}\n",
    "app.min.js": "function a(){}",
    "src/large.js": `${"// a line\n".repeat(60_000)}`,
    "src/null.js": "a\0b",
  });
  const done = await index();
  expect(done.leftOut.map(({ path, reason }) => `${path}: ${reason}`).sort()).toEqual([
    "app.min.js: minified",
    "src/api.js: generated (header says DO NOT EDIT)",
    "src/large.js: larger than 512 KiB",
    "src/null.js: binary",
    "vendor/x/y.go: vendored",
  ]);
  expect(sources()).toEqual(["src/cart.js#clear", "src/cart.js#total"]);
});

test("secrets in files are neither embedded nor stored", async () => {
  const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8".slice(0, 36)}`;
  clone.commit({
    "src/a.js": `function login() {\n  const token = "${token}";\n}\n`,
    "docs/a.md": `Use ${token} to log in.\n`,
  });
  await index();
  expect(memory.rows.size).toBe(2);
  expect(JSON.stringify([memory.all(), embedder.asked])).not.toContain(token);
});

test("while the embedder is down rows are found by words, and the next run embeds them", async () => {
  clone.commit({ "docs/guide.md": GUIDE });
  embedder.fails = () => null;
  expect(await index()).toMatchObject({ remembered: { added: 2, wordsOnly: 2 }, degraded: [{ part: "embedding" }] });
  embedder.fails = null;
  expect(await index()).toMatchObject({ files: { read: 1 }, remembered: { updated: 2, wordsOnly: 0 }, degraded: [] });
  expect(await index()).toMatchObject({ files: { read: 0 } });
});

test("a definition that occurs twice in a file has two names, and both are kept", async () => {
  clone.commit({
    "a.ts": "function f(a: string): void;\nfunction f(a: any) {\n}\nclass A {\n  f() {\n  }\n}\nfunction f() {\n}\n",
  });
  await index();
  expect(sources()).toEqual(["a.ts#A", "a.ts#A.f", "a.ts#f", "a.ts#f:2"]);
});

test("a run reads no more than it may, and the next goes on where it ended", async () => {
  clone.commit(Object.fromEntries(["e", "a", "c", "b", "d"].map((name) => [`docs/${name}.md`, `About ${name}.\n`])));
  const tree = await gitTree(clone.path, "HEAD");
  const run = (after: string | null, most = { files: 2, bytes: 1_000 }) =>
    indexRepository(
      { repo: REPO, corpora: ["doc"], at: AT, remembering: { redact }, most, after },
      { tree, chunker: astChunker(), embedder, memory },
    );
  expect(await run(null)).toMatchObject({ files: { read: 2, waiting: 3 }, next: "docs/b.md" });
  expect(sources()).toEqual(["docs/a.md", "docs/b.md"]);
  expect(await run("docs/b.md")).toMatchObject({ files: { read: 2, unchanged: 2, waiting: 1 }, next: "docs/d.md" });
  expect(await run("docs/d.md")).toMatchObject({ files: { read: 1, waiting: 0, removed: 0 }, next: null });
  expect(sources()).toHaveLength(5);
  // One file is always read, or a large one would be waited for for ever.
  memory.rows.clear();
  expect(await run(null, { files: 9, bytes: 1 })).toMatchObject({ files: { read: 1, waiting: 4 }, next: "docs/a.md" });
});

test("of a tree that is listed in part, what is missing from the list is not forgotten", async () => {
  clone.commit({ "docs/a.md": "About a.\n", "docs/b.md": "About b.\n" });
  await index(["doc"]);
  const tree = await gitTree(clone.path, "HEAD");
  const { files } = await tree.list();
  const cut = { files: files.filter(({ path }) => path !== "docs/b.md"), incomplete: "cut off" };
  const request = { repo: REPO, corpora: ["doc"], at: AT, remembering: { redact } } as const;
  const ports = { chunker: astChunker(), embedder, memory };
  expect(
    await indexRepository(request, { ...ports, tree: { ...tree, list: () => Promise.resolve(cut) } }),
  ).toMatchObject({
    files: { unchanged: 1, removed: 0 },
    forgotten: 0,
    degraded: [{ part: "tree", reason: "cut off" }],
  });
  expect(sources()).toEqual(["docs/a.md", "docs/b.md"]);
});

test("where embeddings are off nothing is embedded, and the next run reads nothing again", async () => {
  clone.commit({ "docs/guide.md": GUIDE });
  const tree = await gitTree(clone.path, "HEAD");
  const request = { repo: REPO, corpora: ["doc"], at: AT, remembering: { redact }, wordsOnly: true } as const;
  const run = () => indexRepository(request, { tree, chunker: astChunker(), embedder, memory });
  expect(await run()).toMatchObject({ remembered: { added: 2, wordsOnly: 2 }, degraded: [] });
  expect(embedder.asked).toEqual([]);
  expect(await run()).toMatchObject({ files: { read: 0, unchanged: 1 } });
});
