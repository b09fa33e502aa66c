// The running app with its real memory and Voyage's API on loopback: what is asked, found, weighed
// and kept, from the webhook to the file on disk.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type MemoryRecord, memoryId } from "../../src/domain/memory.ts";
import type { Precedents, RankedMemory } from "../../src/domain/retrieval.ts";
import { remember } from "../../src/learn/learn.ts";
import { chosenEmbedder } from "../../src/wire/models.ts";
import { openStore, type Store } from "../../src/wire/store.ts";
import { type EmbeddingServer, embeddingServer } from "../fakes/embedding-server.ts";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import { json, scriptedServer, status } from "../fakes/scripted-server.ts";
import { memory } from "../retrieve/retrieve-builders.ts";
import { type Harness, openHarness } from "./app-harness.ts";
import { said, summaryOf, WEAK_LOGIN } from "./change-builders.ts";

const VOYAGE = { kind: "voyage", apiKey: "pa-loopback", model: "voyage-code-3", dimension: 1024 } as const;
/** A word in a memory's text → its distance to every query. */
const DISTANCES = new Map([
  ["marmalade", 0.1],
  ["quince", 0.2],
  ["persimmon", 0.25],
  ["cloudberry", 0.45],
  // Eight in two groups, with a gap that is a little over .05.
  ...["ask", "bell", "cove", "dune"].map((word, at) => [`${word}wood`, 0.16 + at / 100] as const),
  ...["elm", "fern", "gorse", "holm"].map((word, at) => [`${word}wood`, 0.245 + at / 100] as const),
]);

let voyage: EmbeddingServer;
let harness: Harness;
let store: Store;
const handedOn = new Map<string, Precedents>();
const keep = (job: { readonly key: string }, stage: string, value: unknown) =>
  stage === "retrieve" ? void handedOn.set(job.key, value as Precedents) : undefined;

beforeAll(async () => {
  voyage = await embeddingServer(DISTANCES);
  const embeddings = { ...VOYAGE, baseUrl: voyage.url };
  harness = await openHarness({ owners: ["acme", "umbrella"], app: { embeddings, onStep: keep } });
  store = await openStore(harness.dataDir);
});
afterAll(async () => {
  await store.close();
  await harness.close();
  await voyage.close();
});

const keyOf = ({ id }: Repository) => `github.com/${id}`;

/** Puts records into the app's memory, as learning does. */
async function seed(repository: Repository, records: readonly Partial<MemoryRecord>[]): Promise<string[]> {
  const repo = keyOf(repository);
  const { id: ownerId } = repository.json.owner as { id: number };
  const rows = records.map((record, at) => {
    const sourceId = `${repository.name}/${at}`;
    const where = { repo, repoName: `${repository.owner}/${repository.name}`, ownerId, sourceId } as const;
    const visibility = repository.private ? "private" : "public";
    return memory(memoryId(repo, record.corpus ?? "review_comment", sourceId), { ...where, visibility, ...record });
  });
  const embedder = await chosenEmbedder({ ...VOYAGE, baseUrl: voyage.url });
  const done = await remember(rows, embedder, store.memory, { redact: (text) => Promise.resolve(text) });
  expect(done).toMatchObject({ added: rows.length, wordsOnly: 0, refused: [] });
  return rows.map(({ id }) => id);
}

async function precedentsFor(pull: Pull): Promise<Precedents> {
  expect(await harness.settled(pull)).toMatchObject({ state: "done" });
  const found = handedOn.get(`github.com/${pull.repository.id}#${pull.number}`);
  if (found === undefined) throw new Error("nothing was retrieved");
  return found;
}

const yaml = (retrieval: string) => ({ ".kodiai.yml": `knowledge:\n  retrieval: ${retrieval}\n` });
const lines = (count: number) => `${Array.from({ length: count }, (_, at) => `x${at} = 1;`).join("\n")}\n`;
/** Eight lines of C++ to two of Python. */
const BOTH = { "src/demux.cpp": lines(8), "tools/probe.py": lines(2) };
const ROUND = { "src/round.cpp": "double round(double price);\n", "src/total.cpp": "double total();\n" };
const retrieved = (precedents: Precedents, id: string | undefined): RankedMemory => {
  const found = precedents.ranked.find(({ record }) => record.id === id);
  if (found === undefined) throw new Error(`${id} was not heard: ${JSON.stringify(precedents.cut)}`);
  return found;
};
const languageFactor = ({ terms }: RankedMemory) => Math.exp(terms.find(({ name }) => name === "language")?.value ?? 0);

describe("from the webhook to the results", () => {
  test("eighty per cent C++ and twenty per cent Python lift what was said about them by 1.2 and 1.05, and nothing else [003-41][004-11][004-12][004-22]", async () => {
    const { world } = harness;
    const player = await world.repository("acme", "player", {
      files: { "README.md": "# Player\n" },
    });
    const [cpp, python, go, page] = await seed(player, [
      { text: "marmalade: check the size of the packet first", language: "C++", path: "src/mux.cc" },
      { text: "marmalade: close the probe", language: "python", path: "tools/old.py" },
      { text: "marmalade: wrap the error", language: "go", path: "cmd/main.go" },
      { text: "marmalade: how probes are written", corpus: "doc", language: "markdown", tags: ["general", "python"] },
    ]);
    const pull = await world.pullRequest(player, { title: "feat(demux): probe packets", files: BOTH });
    const precedents = await precedentsFor(pull);
    expect(precedents.provenance).toMatchObject({ method: "hybrid", thresholdMethod: "percentile", threshold: 0.15 });
    expect(precedents.degraded).toEqual([]);
    expect(languageFactor(retrieved(precedents, cpp))).toBeCloseTo(1.2, 12);
    expect(languageFactor(retrieved(precedents, python))).toBeCloseTo(1.05, 12);
    expect(languageFactor(retrieved(precedents, page))).toBeCloseTo(1.05, 12);
    expect(languageFactor(retrieved(precedents, go))).toBe(1);
    for (const one of precedents.ranked)
      expect(one).toMatchObject({ adjustedDistance: null, distance: expect.closeTo(0.1, 1) });
  });

  test("where an embedder measures distances, the gap after the nearest decides who is used, and no topK; with fewer than eight the 75th percentile [000-25][000-41]", async () => {
    const { world } = harness;
    const files = { "README.md": "# Wood\n", ...yaml("{topK: 20}") };
    const wood = await world.repository("acme", "wood", { files });
    const words = [...DISTANCES.keys()].filter((word) => word.endsWith("wood"));
    const ids = await seed(
      wood,
      words.map((text) => ({ text, language: "go" })),
    );
    const title = "feat(demux): probe packets";
    const precedents = await precedentsFor(await world.pullRequest(wood, { title, files: BOTH }));
    expect(precedents.provenance).toMatchObject({ thresholdMethod: "gap", threshold: expect.closeTo(0.19, 2) });
    expect(precedents.ranked.map(({ record }) => record.id).toSorted()).toEqual(ids.slice(0, 4).toSorted());
    expect(precedents.cut.map(({ id }) => id).toSorted()).toEqual(ids.slice(4).toSorted());
    for (const { reason } of precedents.cut)
      expect(reason).toMatch(/^distance 0\.2\d\d is over the threshold 0\.1\d\d$/);

    const grove = await world.repository("acme", "grove", { files });
    const seven = await seed(
      grove,
      words.slice(0, 7).map((text) => ({ text, language: "go" })),
    );
    const fewer = await precedentsFor(await world.pullRequest(grove, { title, files: BOTH }));
    expect(fewer.provenance).toMatchObject({ thresholdMethod: "percentile", threshold: expect.closeTo(0.255, 2) });
    expect(fewer.ranked.map(({ record }) => record.id).toSorted()).toEqual(seven.slice(0, 6).toSorted());

    const mixed = await world.repository("acme", "mixed", { files });
    const near = await seed(
      mixed,
      ["askwood", ...Array(8).fill("cloudberry")].map((text, at) => ({ text: `${text} v${at}q`, language: "go" })),
    );
    const held = await precedentsFor(await world.pullRequest(mixed, { title, files: BOTH }));
    expect(held.ranked.map(({ record }) => record.id)).toEqual(near.slice(0, 1));
    expect(held.provenance.threshold).toBeLessThanOrEqual(0.3);
  });

  test("ordered by meaning the distance of C++ counts .85 and there is no other weight of language [003-41][004-12][004-13]", async () => {
    const { world } = harness;
    const files = { "README.md": "# Mux\n", ...yaml("{method: semantic}") };
    const mux = await world.repository("acme", "mux", { files });
    const [go, cpp] = await seed(mux, [
      { text: "marmalade: wrap the error", language: "go", path: "cmd/main.go" },
      { text: "quince: check the size first", language: "cpp", path: "src/mux.cc" },
    ]);
    const pull = await world.pullRequest(mux, { title: "feat(demux): probe packets", files: BOTH });
    const precedents = await precedentsFor(pull);
    expect(precedents.provenance.method).toBe("semantic");
    const [match, other] = [retrieved(precedents, cpp), retrieved(precedents, go)];
    // A comment of thirty days ago counts 2 − .5^(30/90) as far, beside its language.
    const age = (other.adjustedDistance ?? 0) / (other.distance ?? 1);
    expect(match.adjustedDistance).toBeCloseTo((match.distance ?? 0) * 0.85 * age, 6);
    expect([match.languageMatch, other.languageMatch]).toEqual([true, false]);
  });

  test("all queries of a review travel in one request, as queries, and again cost none for a day [000-11][000-12][002-21][003-03][003-41]", async () => {
    const { world } = harness;
    const cart = await world.repository("acme", "cart", { files: { "README.md": "# Cart\n" } });
    await seed(cart, [{ text: "marmalade: round once", language: "cpp" }]);
    const before = { query: voyage.asked("query").length, document: voyage.asked("document").length };
    const pull = await world.pullRequest(cart, { title: "feat: round prices", files: ROUND });
    await precedentsFor(pull);
    const requests = voyage.asked("query").slice(before.query);
    expect(requests).toHaveLength(1);
    const { input, model, output_dimension: dimension } = requests[0]?.body ?? {};
    expect({ model, dimension }).toEqual({ model: "voyage-code-3", dimension: 1024 });
    expect(new Set(input as string[]).size).toBe((input as string[]).length);
    expect((input as string[]).length).toBeGreaterThanOrEqual(4);
    expect((input as string[])[0]?.split("\n")[0]).toBe("feat: round prices");
    await world.label(pull, "kodiai:review");
    await precedentsFor(pull);
    expect(voyage.asked("query").length).toBe(before.query + 1);
    // Nothing was found wrong, so nothing was learned: no document was embedded for it.
    expect(voyage.asked("document").length).toBe(before.document);
  });

  test("the log has the decision, the length of the query and what was dropped from it [000-10][001-28]", async () => {
    const { world } = harness;
    const shop = await world.repository("acme", "logged", { files: { "README.md": "# Shop\n" } });
    await seed(shop, [{ text: "marmalade: round once", language: "cpp" }]);
    const files = Object.fromEntries(
      Array.from({ length: 15 }, (_, at) => [
        `packages/checkout/src/price/rounding/strategy-${at}/half-even.cpp`,
        "int a;\n",
      ]),
    );
    const pull = await world.pullRequest(shop, { title: "feat: round prices half to even", files });
    const { query, gate } = await precedentsFor(pull);
    const line = harness.log
      .map((one) => JSON.parse(one) as Record<string, unknown>)
      .find(({ stage, job }) => stage === "retrieve" && job === `github.com/${shop.id}#${pull.number}`);
    expect(line).toMatchObject({
      level: 20,
      gate: { retrieve: true, decidedBy: gate.decidedBy, confidence: gate.confidence, reason: gate.reason },
      query: { chars: query?.text.length, dropped: query?.dropped, variants: query?.variants.length },
    });
    expect(query?.dropped).toEqual([expect.stringMatching(/^paths after the first \d+ of 15$/)]);
    expect(JSON.stringify(line)).not.toContain("half-even.cpp");
  });
});

describe("what is kept", () => {
  test("a posted finding is remembered with all its fields, and its own pull request never finds it [000-30][002-37][004-01]", async () => {
    const { world } = harness;
    const shop = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
    const pull = await world.pullRequest(shop, {
      title: "feat(login): hash passwords",
      files: { "src/login.ts": WEAK_LOGIN },
    });
    await harness.settled(pull);
    expect(said(world, pull)).toEqual(["src/login.ts:8 weak-password-hash"]);
    const scope = { repo: keyOf(shop), ownerPool: null, excludePull: null, before: null };
    const known = await store.memory.known(keyOf(shop), "finding", { model: "voyage-code-3", dimension: 1024 }, null);
    const ids = [...known.values()].map(({ id }) => id);
    expect(ids).toEqual([expect.stringMatching(/^mem_[0-9a-f]{12}$/)]);
    // Its vector stands in the space of the model that made it.
    expect([...known.values()][0]?.hashes?.embedded).toEqual(expect.any(String));
    const [record] = await store.recall.records(scope, ids);
    expect(record).toMatchObject({
      ...{ corpus: "finding", outcome: "posted", severity: "major", category: "security", path: "src/login.ts" },
      ...{ language: "typescript", repo: keyOf(shop), repoName: "acme/shop", visibility: "public", stale: false },
      ...{ text: expect.stringContaining("password"), ownerId: (shop.json.owner as { id: number }).id },
      provenance: {
        pull: pull.number,
        sha: pull.headSha,
        author: "kodiai[bot]",
        at: expect.any(Number),
        url: expect.any(String),
      },
    });

    await world.push(pull, { "src/again.ts": WEAK_LOGIN });
    const own = await precedentsFor(pull);
    expect(own.ranked.map(({ record: { provenance } }) => provenance.pull)).not.toContain(pull.number);
    const next = await world.pullRequest(shop, {
      title: "feat(admin): hash passwords",
      files: { "src/admin.ts": WEAK_LOGIN },
    });
    const later = await precedentsFor(next);
    expect(later.ranked.map(({ record: { provenance } }) => provenance.pull)).toContain(pull.number);
  });

  test("searching and reranking write nothing: vectors, records and version stay as they are [000-31]", async () => {
    const { world } = harness;
    const till = await world.repository("acme", "till", { files: { "README.md": "# Till\n" } });
    const [id] = await seed(till, [
      { text: "quince: check first", language: "cpp" },
      { text: "persimmon: or not", language: "go" },
    ]);
    const scope = { repo: keyOf(till), ownerPool: null, excludePull: null, before: null };
    const look = async () => ({
      version: await store.recall.version(keyOf(till)),
      records: await store.recall.records(scope, id === undefined ? [] : [id]),
      nearest: await store.recall.nearest(
        scope,
        [new Float32Array(1024).fill(1)],
        { model: VOYAGE.model, dimension: 1024 },
        9,
        {},
      ),
    });
    const before = await look();
    const pull = await world.pullRequest(till, { title: "feat: probe", files: { "a.cpp": "int a;\n" } });
    const precedents = await precedentsFor(pull);
    expect(retrieved(precedents, id).distance).toBeCloseTo(0.2, 2);
    expect(await look()).toEqual(before);
  });

  test("vectors of another model of the same size are not compared: words find the memory, and it is said [000-13]", async () => {
    const { world } = harness;
    const bank = await world.repository("acme", "bank", { files: { "README.md": "# Bank\n" } });
    const [id] = await seed(bank, [{ text: "marmalade: the interest of probes is compounded daily", language: "cpp" }]);
    const scope = { repo: keyOf(bank), ownerPool: null, excludePull: null, before: null };
    const one = new Float32Array(1024).fill(1);
    const nearest = async (model: string) =>
      (await store.recall.nearest(scope, [one], { model, dimension: 1024 }, 5, {}))[0] ?? [];
    expect((await nearest("voyage-code-3")).map((hit) => hit.id)).toEqual([id]);
    expect((await nearest("voyage-code-3"))[0]?.distance).toBeCloseTo(0.1, 1);
    expect(await nearest("voyage-4")).toEqual([]);
    expect((await store.recall.matching(scope, ["interest compounded"], 5, {}))[0]?.map((hit) => hit.id)).toEqual([id]);
  });
});

describe("sharing", () => {
  test("is off by default; where others give and one takes, each memory is found once, without its source [000-28]", async () => {
    const { world } = harness;
    const given = async (name: string, text: string) => {
      const files = { ".kodiai.yml": "knowledge: {sharing: {gives: true}}\n" };
      const repository = await world.repository("umbrella", name, { files });
      const [id] = await seed(repository, [{ text, language: "cpp" }]);
      await world.commit(repository, { "a.txt": "a\n" });
      await harness.followed(repository);
      return id;
    };
    const pay = await given(
      "pay",
      "quince: Please close the connection before the function returns, also when an error is thrown.",
    );
    const lend = await given(
      "lend",
      "quince: Please check the length of the list before the first value of it is read.",
    );
    const retrievedIn = async (name: string, config: string) => {
      const repository = await world.repository("umbrella", name, { files: { ".kodiai.yml": config } });
      const [own] = await seed(repository, [{ text: `marmalade: round once in ${name}`, language: "cpp" }]);
      const pull = await world.pullRequest(repository, { title: "feat: carts", files: { "a.cpp": "int a;\n" } });
      return { own, precedents: await precedentsFor(pull) };
    };
    const alone = await retrievedIn("alone", "knowledge: {retrieval: {topK: 20}}\n");
    expect(alone.precedents.ranked.map(({ record }) => record.id)).toEqual([alone.own]);
    expect(alone.precedents.provenance).toMatchObject({
      repoSources: ["umbrella/alone"],
      sharedPoolUsed: false,
      totalCandidates: 1,
    });
    const shared = await retrievedIn("shared", "knowledge: {sharing: {takes: true}, retrieval: {topK: 20}}\n");
    const ids = shared.precedents.ranked.map(({ record }) => record.id);
    // `alone` gives nothing.
    expect(ids.toSorted()).toEqual([shared.own, pay, lend].toSorted());
    expect(shared.precedents.provenance.sharedPoolUsed).toBe(true);
    expect(shared.precedents.provenance.repoSources.toSorted()).toEqual([
      "another repository of this owner",
      "umbrella/shared",
    ]);
  });
});

test("a service that is down is asked four times, then words answer and the summary says what was missing [000-34]", async () => {
  const { world } = harness;
  const down = await world.repository("acme", "down", { files: { "README.md": "# Down\n" } });
  const [id] = await seed(down, [
    { text: "marmalade: the interest of probes is compounded daily and rounded half to even", language: "cpp" },
    ...Array.from({ length: 8 }, (_, at) => ({ text: `cloudberry number${at}`, language: "go" })),
  ]);
  voyage.script(status(503));
  const before = voyage.received.length;
  try {
    const pull = await world.pullRequest(down, {
      title: "feat: interest of probes compounded daily, rounded half to even",
      files: { "src/interest.cpp": "int a;\n" },
    });
    const precedents = await precedentsFor(pull);
    expect(voyage.received.length - before).toBe(4);
    expect(precedents.ranked.map(({ record }) => record.id)).toEqual([id]);
    expect(precedents.provenance.method).toBe("keyword");
    expect(precedents.degraded.map(({ part }) => part)).toEqual(["embedding"]);
    expect(summaryOf(world, pull).body).toMatch(/Incomplete, 1 reason[\s\S]*`embedding`/);
  } finally {
    voyage.script(voyage.answers);
  }
});

test("the whole way on loopback: several queries in two searches, each reranked with what it found, and five of many used [002-25][003-23][003-41]", async () => {
  const rerank = await scriptedServer();
  // Prefers the highest number in a text.
  rerank.script((response, request) => {
    const { documents } = request.body as { documents: readonly string[] };
    const data = documents.map((text, index) => ({ index, relevance_score: Number(/\d+/.exec(text)) / 100 }));
    json({ data, usage: { total_tokens: 100 } })(response, request);
  });
  const reranker = { kind: "voyage", apiKey: VOYAGE.apiKey, baseUrl: `${rerank.url}/v1`, model: "rerank-2.5" } as const;
  await harness.restart({ embeddings: { ...VOYAGE, baseUrl: voyage.url }, reranker });
  const { world } = harness;
  const numbered = Array.from({ length: 30 }, (_, at) => ({
    text: `${at < 25 ? "marmalade" : "quince"} number ${at}: round the total of a price once`,
    language: at % 2 === 0 ? "cpp" : "go",
  }));
  try {
    const whole = await world.repository("acme", "whole", { files: { "README.md": "# Whole\n" } });
    await seed(whole, numbered);
    const before = voyage.asked("query").length;
    // Words of no other test here: vectors of queries are kept.
    const files = { "src/whole.cpp": "double whole(double price);\n", "src/sum.cpp": "double sum();\n" };
    const pull = await world.pullRequest(whole, { title: "feat: round the total once", files });
    const precedents = await precedentsFor(pull);
    const requests = voyage.asked("query").slice(before);
    expect(requests).toHaveLength(1);
    const embedded = requests.flatMap(({ body }) => body.input as string[]);
    const asked = rerank.received.map(({ body }) => body as { query: string; documents: readonly string[] });
    expect(asked.map(({ query }) => query).toSorted()).toEqual(embedded.toSorted());
    expect(asked.length).toBeGreaterThanOrEqual(4);
    for (const { documents } of asked) expect(documents.length).toBeGreaterThanOrEqual(20);
    expect(precedents.provenance).toMatchObject({ method: "hybrid" });
    expect(precedents.provenance.totalCandidates).toBeGreaterThanOrEqual(20);
    expect(precedents.ranked).toHaveLength(5);
    expect(precedents.ranked.every(({ vectorRank, keywordRank }) => vectorRank !== null && keywordRank !== null)).toBe(
      true,
    );
    const numbers = precedents.ranked.map(({ record }) => Number(/\d+/.exec(record.text)));
    expect(Math.max(...numbers.slice(0, 2))).toBe(24);
    expect(precedents).toMatchObject({ degraded: [], rerank: { by: "rerank-2.5", failed: null } });
    expect(summaryOf(world, pull).body).toContain("Memory: 5 precedents.");

    const config = yaml("{method: semantic, rerank: off}");
    const near = await world.repository("acme", "near", { files: { "README.md": "# Near\n", ...config } });
    await seed(near, numbered.slice(20));
    const byMeaning = await precedentsFor(
      await world.pullRequest(near, { title: "feat: round the total once", files }),
    );
    expect(byMeaning).toMatchObject({ degraded: [], rerank: null, provenance: { method: "semantic" } });
    expect(byMeaning.ranked.every(({ keywordRank }) => keywordRank === null)).toBe(true);
    const distances = byMeaning.ranked.map(({ adjustedDistance }) => adjustedDistance ?? 0);
    expect(distances).toEqual(distances.toSorted((a, b) => a - b));
    expect(rerank.received).toHaveLength(asked.length);
  } finally {
    await rerank.close();
  }
});

test.each([
  ["another embedder", { kind: "local" } as const],
  ["the same model and fewer numbers", { ...VOYAGE, dimension: 256 } as const],
])("started with %s the app says which memories only words will find [002-21][003-42]", async (_, embeddings) => {
  await harness.restart({
    embeddings: embeddings.kind === "local" ? embeddings : { ...embeddings, baseUrl: voyage.url },
  });
  const warned = harness.log
    .map((one) => JSON.parse(one))
    .filter(({ msg }) => msg === "memory holds vectors of another embedder");
  expect(warned.slice(-1)).toEqual([
    expect.objectContaining({
      level: 40,
      reason: expect.stringMatching(
        new RegExp(
          `^\\d+ memories were embedded by voyage-code-3 with 1024 numbers and are found by words only; ${
            embeddings.kind === "local" ? "local" : "voyage-code-3 with 256 is searched"
          }`,
        ),
      ),
    }),
  ]);
});
