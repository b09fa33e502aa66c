import { afterEach, beforeEach, expect, test } from "vitest";
import { gitTree } from "../../src/adapters/git/snapshot.ts";
import { secretRedactor } from "../../src/adapters/secrets/redact.ts";
import { indexRepository } from "../../src/flows/repository/index-repository.ts";
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

async function index({ wiki = false } = {}) {
  const tree = await gitTree(clone.path, "HEAD");
  const asked = embedder.asked.length;
  const urlOf = (path: string) => `https://github.com/acme/payments/blob/${tree.commit}/${path}`;
  const request = { ...WHOLE, urlOf, corpus: wiki ? ("wiki" as const) : ("doc" as const) };
  const done = await indexRepository(request, { tree, embedder, memory });
  return { ...done, asked: embedder.asked.slice(asked) };
}

const WHOLE = {
  ...{ repo: REPO, at: AT, remembering: { redact }, urlOf: () => null },
  ...{ most: null, after: null, wordsOnly: false, corpus: "doc" as const },
};

const sources = () =>
  memory
    .all()
    .map(({ sourceId }) => sourceId)
    .sort();

const CART = `# Cart

## Total

Sum up in cents.

## Clear

Empty it at once.
`;
const GUIDE = "# Guide\n\n## Retries\n\nRetry thrice.\n\n## Errors\n\nTell them apart.\n";

test("documents of a commit are remembered, each section with its place, and code is not", async () => {
  const commit = clone.commit({
    "docs/cart.md": CART,
    "docs/guide.md": GUIDE,
    "README.md": "Hello, `code`.\n",
    "src/cart.js": "export function total(items) {\n  return items.length;\n}\n",
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
    "docs/cart.md#clear",
    "docs/cart.md#total",
    "docs/guide.md#errors",
    "docs/guide.md#retries",
  ]);
  expect(memory.all().find(({ sourceId }) => sourceId === "docs/guide.md#errors")).toMatchObject({
    corpus: "doc",
    symbol: "Guide > Errors",
    chunkType: "section",
    provenance: { url: `https://github.com/acme/payments/blob/${commit}/docs/guide.md#errors` },
  });
});

test("a second run reads, embeds and writes nothing", async () => {
  clone.commit({ "docs/cart.md": CART, "docs/guide.md": GUIDE });
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
  clone.commit({ "docs/cart.md": CART, "docs/guide.md": GUIDE });
  await index();
  clone.commit({ "docs/cart.md": CART.replace("at once", "in one step") });
  const done = await index();
  expect(done).toMatchObject({
    files: { read: 1, unchanged: 1 },
    remembered: { added: 0, updated: 2, embedded: 1 },
  });
  expect(done.asked[0]).toContain("in one step");
  expect(await index()).toMatchObject({ files: { read: 0, unchanged: 2 } });
});

test("what is removed from the tree, or from its file, is forgotten", async () => {
  clone.commit({ "docs/cart.md": CART, "docs/guide.md": GUIDE });
  await index();
  clone.commit({ "docs/guide.md": null, "docs/cart.md": CART.slice(0, CART.indexOf("## Clear")) });
  expect(await index()).toMatchObject({ files: { removed: 1 }, forgotten: 3 });
  expect(sources()).toEqual(["docs/cart.md#total"]);
});

test("a renamed file is remembered under its new name only", async () => {
  clone.commit({ "docs/cart.md": CART });
  await index();
  clone.commit({ "docs/cart.md": null, "docs/basket.md": CART });
  expect(await index()).toMatchObject({ files: { read: 1, removed: 1 }, forgotten: 2, remembered: { added: 2 } });
  expect(sources()).toEqual(["docs/basket.md#clear", "docs/basket.md#total"]);
});

test("the pages of a wiki, and the documents of its repository, stay apart", async () => {
  clone.commit({ "docs/cart.md": CART });
  await index();
  clone.commit({ "docs/cart.md": null, "Home.md": "Welcome.\n" });
  expect(await index({ wiki: true })).toMatchObject({ forgotten: 0, remembered: { added: 1 } });
  expect(sources()).toEqual(["Home.md", "docs/cart.md#clear", "docs/cart.md#total"]);
  expect(await index()).toMatchObject({ forgotten: 2 });
  expect(sources()).toEqual(["Home.md"]);
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
  clone.commit({ "docs/cart.md": CART, "docs/api.md": CART });
  await index();
  clone.commit({
    "docs/api.md": `<!-- Code generated by make. DO NOT EDIT. -->\n${CART}`,
    "vendor/x/README.md": "Hello.\n",
    "docs/large.md": `${"One line.\n".repeat(60_000)}`,
    "docs/null.md": "a\0b",
  });
  const done = await index();
  expect(done.leftOut.map(({ path, reason }) => `${path}: ${reason}`).sort()).toEqual([
    "docs/api.md: generated (header says DO NOT EDIT)",
    "docs/large.md: larger than 512 KiB",
    "docs/null.md: binary",
    "vendor/x/README.md: vendored",
  ]);
  expect(sources()).toEqual(["docs/cart.md#clear", "docs/cart.md#total"]);
});

test("secrets in files are neither embedded nor stored", async () => {
  const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8".slice(0, 36)}`;
  clone.commit({
    "docs/b.md": `Log in:\n\n\`\`\`js\nconst token = "${token}";\n\`\`\`\n`,
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

test("a run reads no more than it may, and the next goes on where it ended", async () => {
  clone.commit(Object.fromEntries(["e", "a", "c", "b", "d"].map((name) => [`docs/${name}.md`, `About ${name}.\n`])));
  const tree = await gitTree(clone.path, "HEAD");
  const run = (after: string | null, most = { files: 2, bytes: 1_000 }) =>
    indexRepository({ ...WHOLE, most, after }, { tree, embedder, memory });
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
  await index();
  const tree = await gitTree(clone.path, "HEAD");
  const { files } = await tree.list();
  const cut = { files: files.filter(({ path }) => path !== "docs/b.md"), incomplete: "cut off" };
  const request = WHOLE;
  const ports = { embedder, memory };
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
  const request = { ...WHOLE, wordsOnly: true };
  const run = () => indexRepository(request, { tree, embedder, memory });
  expect(await run()).toMatchObject({ remembered: { added: 2, wordsOnly: 2 }, degraded: [] });
  expect(embedder.asked).toEqual([]);
  expect(await run()).toMatchObject({ files: { read: 0, unchanged: 1 } });
});
