// The composed path of a reranker: the operator's variables, the real Voyage SDK, a Voyage of our
// own on loopback.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { readReranker } from "../../src/config/environment/read-models.ts";
import { chosenReranker } from "../../src/wire/models.ts";
import { aPull, REPO } from "../fakes/pull-requests.ts";
import { json, type ScriptedServer, scriptedServer, status } from "../fakes/scripted-server.ts";
import { atDistance, embedder, memory } from "../retrieve/retrieve-builders.ts";
import { openHarness } from "./app-harness.ts";
import { BACKUP, BALANCE, WEAK_LOGIN } from "./change-builders.ts";
import { precedentsOf, reviewOf } from "./pipeline.ts";

/** Of the kind that GitHub gives out; made up. */
const TOKEN = `ghp_${"aB3dE5gH7jK9".repeat(3)}`;
const OWN = {
  repo: `github.com/${REPO.id}`,
  repoName: "acme/player",
  ownerId: REPO.ownerId,
  visibility: "public",
} as const;

let server: ScriptedServer;
beforeAll(async () => {
  server = await scriptedServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.received.length = 0;
});

/** As main.ts reads and wires it. */
async function configured(more: Record<string, string> = {}) {
  const variables = {
    VOYAGE_API_KEY: "pa-123456789",
    KODIAI_RERANKER: "voyage",
    KODIAI_EMBEDDINGS_URL: `${server.url}/v1`,
    ...more,
  };
  const read = readReranker(new Map(Object.entries(variables)));
  if ("problems" in read) throw new Error(read.problems.join());
  return chosenReranker(read.reranker);
}

const MEMORIES = Array.from({ length: 9 }, (_, at) => ({
  record: memory(`m${at}`, { ...OWN, text: at === 8 ? `mutex 8, not ${TOKEN}` : `mutex ${at}` }),
  vector: atDistance(0.05 + at / 100),
}));
const CHANGE = {
  files: Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((name) => [`src/${name}.ts`, `lock("${TOKEN}");\n`])),
  world: { pull: aPull({ title: "Take the lock before the cache is read", body: null }) },
  memories: MEMORIES,
};

/** Prefers the highest number. */
const backwards = (
  response: Parameters<ReturnType<typeof json>>[0],
  request: Parameters<ReturnType<typeof json>>[1],
) => {
  const { documents } = request.body as { documents: readonly string[] };
  const data = documents.map((text, index) => ({ index, relevance_score: Number(/\d/.exec(text)) / 100 }));
  json({ data, usage: { total_tokens: 1_000 } })(response, request);
};

test("Voyage's order comes first, one request a query, and its cost is reported [002-25]", async () => {
  server.script(backwards);
  const asking = embedder();
  const precedents = await precedentsOf({ ...CHANGE, embedder: asking, reranker: await configured() });
  const queries = precedents.query?.variants.map(({ text }) => text) ?? [];
  expect(precedents.ranked[0]?.record.id).toBe("m8");
  expect(server.received.map(({ path }) => path)).toEqual(queries.map(() => "/v1/rerank"));
  expect(server.received.every(({ headers }) => headers.authorization === "Bearer pa-123456789")).toBe(true);
  expect(server.received[0]?.body).toMatchObject({ model: "rerank-2.5", truncation: true });
  const { tokens, usd, failed, by } = precedents.rerank ?? {};
  expect([by, failed, tokens]).toEqual(["rerank-2.5", null, queries.length * 1_000]);
  expect(usd).toBeCloseTo(((tokens ?? 0) * 0.05) / 1_000_000, 12);
});

test("each kind of change is searched by its strategy, by meaning and words alike, and reranked on defaults when more is found than is used [003-37][003-46]", async () => {
  server.script(backwards);
  const title = "Take the lock before the cache is read";
  const many = ["a", "b", "c", "d", "e", "f"];
  const cases: readonly (readonly [string, readonly string[], string, string])[] = [
    [title, ["a"], "few-files", "keyword"],
    [title, ["a", "b", "c", "d", "e"], "few-files", "keyword"],
    ["Hold `cacheMutex` in readCache()", many, "named-in-text", "keyword"],
    [title, many, "code", "hybrid"],
    ["fix: a race in the cache", many, "bug-fix", "related-files"],
    [title, [...many, "auth/login"], "risk", "semantic"],
  ];
  for (const [title, names, decidedBy, strategy] of cases) {
    server.received.length = 0;
    const change = {
      ...CHANGE,
      files: Object.fromEntries(names.map((name) => [`src/${name}.ts`, "lock(cacheMutex);\n"])),
      world: { pull: aPull({ title, body: null }) },
      embedder: embedder(),
    };
    const precedents = await precedentsOf({ ...change, reranker: await configured() });
    expect(precedents.gate).toMatchObject({ retrieve: true, decidedBy, strategy });
    expect(precedents.provenance.method).toBe("hybrid");
    // What the ranking puts first and Voyage last, or the other way round.
    expect(precedents.ranked.slice(0, 2).map(({ record }) => record.id)).toContain("m8");
    expect(precedents.rerank).toMatchObject({ by: "rerank-2.5", failed: null });
    expect(server.received.length).toBeGreaterThan(0);

    server.received.length = 0;
    const few = await precedentsOf({ ...change, memories: MEMORIES.slice(0, 5), reranker: await configured() });
    expect([few.ranked.length, few.rerank, server.received]).toEqual([5, null, []]);
  }
});

test("no secret of the change or of memory is sent", async () => {
  server.script(backwards);
  await precedentsOf({ ...CHANGE, embedder: embedder(), reranker: await configured() });
  const sent = JSON.stringify(server.received);
  expect(sent).toContain("mutex 8");
  expect(sent).not.toContain(TOKEN);
  expect(sent).toContain("‹redacted:");
});

test("when Voyage is down the review is still posted, and says so [003-27]", async () => {
  server.script(status(503));
  const plain = await precedentsOf({ ...CHANGE, embedder: embedder() });
  const reranker = await configured();
  const precedents = await precedentsOf({ ...CHANGE, embedder: embedder(), reranker });
  expect(precedents.ranked).toEqual(plain.ranked);
  expect(precedents.degraded).toEqual([
    { part: "rerank", reason: expect.stringMatching(/^the service (answered 503|failed repeatedly)/) },
  ]);
  expect(await reviewOf({ ...CHANGE, embedder: embedder(), reranker })).toMatchObject({
    kind: "review",
    degraded: [{ part: "rerank" }],
  });
});

test("nothing is sent unless the operator says so, or where the repository says no", async () => {
  const read = readReranker(new Map([["VOYAGE_API_KEY", "pa-123456789"]]));
  expect("reranker" in read && (await chosenReranker(read.reranker))).toBeNull();
  const config = "knowledge: {retrieval: {rerank: off}}";
  await precedentsOf({ ...CHANGE, config, embedder: embedder(), reranker: await configured() });
  expect(server.received).toEqual([]);
});

test("the server reranks what it remembers of an earlier pull request, and says at its start that this costs money", async () => {
  server.script(backwards);
  const reranker = {
    kind: "voyage",
    apiKey: "pa-123456789",
    baseUrl: `${server.url}/v1`,
    model: "rerank-2.5",
  } as const;
  const harness = await openHarness({ app: { reranker } });
  try {
    const config = "knowledge: {retrieval: {topK: 1, distanceThreshold: 2}}\n";
    const repository = await harness.world.repository("acme", "bank", {
      files: { "README.md": "# Bank\n", ".kodiai.yml": config },
    });
    const files = { "ops/backup.py": BACKUP, "src/balance.py": BALANCE, "src/login.ts": WEAK_LOGIN };
    await harness.settled(await harness.world.pullRequest(repository, { title: "Back up", files }));
    expect(server.received).toEqual([]);
    const more = Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((name) => [`src/${name}.py`, BALANCE]));
    await harness.settled(await harness.world.pullRequest(repository, { title: "Ask the bank", files: more }));
    expect(server.received.length).toBeGreaterThan(0);
    expect(JSON.stringify(server.received[0]?.body)).toContain("Ask the bank");
    expect(harness.log.join("")).toMatch(/"reranker":"rerank-2\.5".*costs money/);
    expect(harness.log.join("")).not.toContain("pa-123456789");
  } finally {
    await harness.close();
  }
});
