import fc from "fast-check";
import { expect, test } from "vitest";
import type { LoggedRetrieval } from "../../src/domain/figures/logged-retrieval.ts";
import { ALERT_FROM, retrievalAlerts, retrievalFigures } from "../../src/domain/figures/retrieval-figures.ts";
import { anEntry } from "../adapters/contracts/retrieval-log.ts";

const CACHED = { texts: 4, cached: 3, tokens: 100, usd: 0.00002 };
const FINE = { embedding: CACHED, averageDistance: 0.2, usd: 0.0001, retrievalMs: 20 };

const RERANKED = { by: "small", ms: 900, tokens: 5_000, usd: 0.006, topChanged: 0.4, meanMove: 1, failed: null };

function alertsOf(more: Partial<LoggedRetrieval>, count = ALERT_FROM) {
  const entries = Array.from({ length: count }, () => ({ ...anEntry({ ...FINE, ...more }), results: 2 }));
  return retrievalAlerts(retrievalFigures(entries, []));
}
const names = (alerts: ReturnType<typeof alertsOf>) => alerts.map(({ name }) => name);

test("quick, cached, near and cheap: nothing to look at [003-33]", () => {
  expect(alertsOf({})).toEqual([]);
});

test.each([
  ["slow", { retrievalMs: 1_001 }, { retrievalMs: 1_000 }, "P95 is 1001 ms, over 1000 ms"],
  [
    "cache",
    { embedding: { ...CACHED, cached: 1 } },
    { embedding: { ...CACHED, cached: 2 } },
    "25 % of the queries came from the embedding cache, under 50 %",
  ],
  ["score", { averageDistance: 0.41 }, { averageDistance: 0.39 }, "the average score is 0.59, under 0.60"],
  [
    "rerank-cost",
    { usd: 0.0216, rerank: { ...RERANKED, usd: 0.0215 } },
    { usd: 0.0196, rerank: { ...RERANKED, usd: 0.0195 } },
    "reranking costs $0.0215, over $0.02",
  ],
  ["cost", { usd: 0.0011 }, { usd: 0.0009 }, "a retrieval without reranking costs $0.0011, over $0.001"],
] as const)(
  "%s is reported past its limit, with n and a fix, and not below 20 retrievals [003-33]",
  (name, past, within, text) => {
    const [alert] = alertsOf(past);
    expect(alert).toMatchObject({
      name,
      n: 20,
      text: `${text} (n = 20)`,
      fix: expect.stringMatching(/.{20}/),
    });
    expect(names(alertsOf(past))).toEqual([name]);
    expect(alertsOf(within)).toEqual([]);
    expect(alertsOf(past, ALERT_FROM - 1)).toEqual([]);
  },
);

test("the keyless embedder has no cache to hit and other distances: neither is an alert", () => {
  const free = { texts: 4, cached: 0, tokens: 0, usd: 0 };
  expect(alertsOf({ embedding: free, averageDistance: 0.7, calibrated: 0.75, usd: 0 })).toEqual([]);
});

test("where a probability admits, distances are no alert, however far", () => {
  const admits = { distance: false, probability: 0.015 };
  expect(alertsOf({ admits, averageDistance: 0.95, calibrated: 0.69 })).toEqual([]);
});

test("figures stay within their ranges for any log", () => {
  const entry = fc
    .record({
      origin: fc.constantFrom("review", "command-line", "search"),
      method: fc.constantFrom("semantic", "keyword", "hybrid"),
      searched: fc.boolean(),
      retrievalMs: fc.nat(),
      texts: fc.nat({ max: 9 }),
      averageDistance: fc.option(fc.double({ min: 0, max: 2, noNaN: true })),
      decidedBy: fc.constantFrom("cache", "default", "model", "constructor", "__proto__"),
      retrieve: fc.boolean(),
      degraded: fc.array(fc.constantFrom("embedding", "__proto__"), { maxLength: 2 }),
    })
    .map(({ texts, decidedBy, retrieve, ...rest }) => {
      const gate = {
        retrieve,
        decidedBy,
        ms: texts,
        confidence: 1,
        shadow: rest.searched && !retrieve,
        shadowHits: texts % 2,
      };
      const embedding = { texts, cached: Math.floor(texts / 2), tokens: texts, usd: 0 };
      return { ...anEntry({ ...rest, gate, embedding }), results: texts };
    });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 40 }), (entries) => {
      const figures = retrievalFigures(entries, []);
      const { ms, gate, embedding, averageScore } = figures;
      expect(ms.p50).toBeLessThanOrEqual(ms.p95);
      expect(ms.p95).toBeLessThanOrEqual(ms.p99);
      const shares = [gate.skipShare, gate.fastPathShare, gate.cachedShare, gate.accuracy ?? 0, embedding.hitShare];
      for (const share of [...shares, averageScore]) {
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(1);
      }
      const byRule = gate.byRule.reduce((sum, { count }) => sum + count, 0);
      expect(byRule).toBe(gate.skips);
      expect(retrievalFigures(entries.toReversed(), [])).toMatchObject({ count: figures.count, gate });
    }),
  );
});
