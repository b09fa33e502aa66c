import { expect, test } from "vitest";
import { loggedRetrieval, originOf, type RetrievalFacts } from "../../src/domain/figures/logged-retrieval.ts";
import { NO_USAGE, type Precedents, SHADOW_SAMPLE } from "../../src/domain/retrieval.ts";
import { memory, NOW, REPO, rankedMemory } from "../retrieve/retrieve-builders.ts";
import { NO_PRECEDENTS } from "../review/review-builders.ts";

const FACTS: RetrievalFacts = {
  repo: REPO,
  pull: 12,
  origin: "review",
  ms: 420,
  at: NOW,
  topK: 5,
  calibrated: 0.3,
};

const FOUND: Precedents = {
  ...NO_PRECEDENTS,
  gate: { ...NO_PRECEDENTS.gate, retrieve: true, decidedBy: "code", confidence: 0.9 },
  query: { text: "feat: round prices", dropped: [], variants: [] },
  ranked: [
    rankedMemory(memory("mem_a"), { distance: 0.1, score: 2.5, languageMatch: true }),
    rankedMemory(memory("mem_b"), { distance: null, score: -1 }),
    rankedMemory(memory("mem_c"), { distance: 0.3, score: -2 }),
  ],
  provenance: { ...NO_PRECEDENTS.provenance, totalCandidates: 50, scanned: 900, threshold: 0.28 },
  usage: { texts: 4, cached: 1, tokens: 300, usd: 0.00006 },
  degraded: [{ part: "embedding", reason: "1 of 4 queries could not be embedded" }],
};

test("an entry has the question, its result and its cost [004-23]", () => {
  expect(loggedRetrieval(FOUND, FACTS)).toEqual({
    id: expect.stringMatching(/^ret_[0-9a-f]{12}$/),
    repo: "github.com/42",
    repoName: "acme/shop",
    pull: 12,
    origin: "review",
    query: "feat: round prices",
    method: "hybrid",
    searched: true,
    ids: ["mem_a", "mem_b", "mem_c"],
    scores: [2.5, -1, -2],
    distances: [0.1, null, 0.3],
    rerankScores: [],
    retrievalMs: 420,
    rerankMs: null,
    totalScanned: 900,
    candidates: 50,
    embedding: { texts: 4, cached: 1, tokens: 300, usd: 0.00006 },
    rerank: null,
    tokens: 300,
    usd: 0.00006,
    gate: { retrieve: true, decidedBy: "code", confidence: 0.9, shadow: false, shadowHits: 0, ms: null },
    degraded: ["embedding"],
    averageDistance: 0.2,
    languageMatch: 1 / 3,
    topK: 5,
    threshold: 0.28,
    admits: NO_PRECEDENTS.provenance.admits,
    promptTokens: 76,
    calibrated: 0.3,
    createdAt: NOW,
  });
});

test("reranking has its own time and its own cost [003-30]", () => {
  const rerank = { by: "r", ms: 400, tokens: 9_000, usd: 0.0005, topChanged: 0.2, meanMove: 1, failed: null };
  const entry = loggedRetrieval({ ...FOUND, rerank }, FACTS);
  expect(entry).toMatchObject({ retrievalMs: 20, rerankMs: 400, tokens: 9_300, rerank });
  expect(entry.usd).toBeCloseTo(0.00056, 10);
});

test("each memory has the reranker's score, null without one, and none after a failure", () => {
  const rerank = { by: "r", ms: 400, tokens: 9_000, usd: 0.0005, topChanged: 0.2, meanMove: 1, failed: null };
  const [first, second, third] = FOUND.ranked;
  if (first === undefined || second === undefined || third === undefined) throw new Error("three are found");
  const ranked = [{ ...first, rerankScore: 0.9 }, { ...second, rerankScore: 0.4 }, third];
  expect(loggedRetrieval({ ...FOUND, ranked, rerank }, FACTS).rerankScores).toEqual([0.9, 0.4, null]);
  expect(loggedRetrieval({ ...FOUND, rerank: { ...rerank, failed: "answered 500" } }, FACTS).rerankScores).toEqual([]);
});

test("what a language model cost is counted, and what it cost to rerank is counted once [003-22]", () => {
  const rerank = { by: "haiku", ms: 400, tokens: 9_000, usd: 0.0005, topChanged: 0, meanMove: 0, failed: null };
  const cost = (purpose: "queries" | "gate" | "rerank", usd: number | null) =>
    ({ purpose, questions: 1, inputTokens: 1_000, outputTokens: 100, usd }) as const;
  const modelCosts = [cost("queries", 0.002), cost("gate", null), cost("rerank", 0.0005)];
  const entry = loggedRetrieval({ ...FOUND, rerank, modelCosts }, FACTS);
  expect(entry.tokens).toBe(300 + 9_000 + 2 * 1_100);
  expect(entry.usd).toBeCloseTo(0.00006 + 0.0005 + 0.002, 10);
});

test("a skip was not searched; a searched skip records what it would have used", () => {
  expect(loggedRetrieval(NO_PRECEDENTS, FACTS)).toMatchObject({
    searched: false,
    query: "",
    averageDistance: null,
    languageMatch: null,
    gate: { retrieve: false, decidedBy: "empty-memory", shadow: false, shadowHits: 0 },
  });
  const cut = [
    { id: "mem_a", reason: `${SHADOW_SAMPLE}: would have been used` },
    { id: "mem_b", reason: "over the 5 that are used" },
  ];
  const shadow = { ...FOUND, gate: NO_PRECEDENTS.gate, ranked: [], cut, usage: NO_USAGE };
  expect(loggedRetrieval(shadow, FACTS)).toMatchObject({
    searched: true,
    gate: { shadow: true, shadowHits: 1 },
  });
});

test("the same retrieval has the same id, another moment another one; a long question is cut at whole characters", () => {
  const id = loggedRetrieval(FOUND, FACTS).id;
  expect(loggedRetrieval(FOUND, FACTS).id).toBe(id);
  expect(loggedRetrieval(FOUND, { ...FACTS, at: NOW + 1 }).id).not.toBe(id);
  const long = { ...FOUND, query: { text: `a${"😀".repeat(2_000)}`, dropped: [], variants: [] } };
  const { query } = loggedRetrieval(long, FACTS);
  expect(query).toHaveLength(999);
  expect(query.isWellFormed()).toBe(true);
});

test("a person at a terminal is not a delivery", () => {
  expect(originOf("command-line")).toBe("command-line");
  expect(originOf("synchronize")).toBe("review");
});
