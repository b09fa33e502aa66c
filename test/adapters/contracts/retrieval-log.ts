import { beforeEach, describe, expect, test } from "vitest";
import type { LoggedRetrieval } from "../../../src/domain/figures/logged-retrieval.ts";
import type { RetrievalLog, RetrievalStatistics } from "../../../src/ports/memory.ts";

/** 2026-11-21T00:00:00Z */
export const NOW = 1_795_219_200_000;
const HOUR = 3_600_000;
const DAY = { ms: 24 * HOUR, repo: null };

let serial = 0;

/** A review's search that found two memories. */
export function anEntry(more: Partial<LoggedRetrieval> = {}): LoggedRetrieval {
  serial += 1;
  return {
    id: `ret_${serial.toString(16).padStart(12, "0")}`,
    repo: "github.com/42",
    repoName: "acme/shop",
    pull: 12,
    origin: "review",
    query: "feat: round prices in the cart",
    method: "hybrid",
    searched: true,
    ids: ["mem_00000000000a", "mem_00000000000b"],
    scores: [1.2, -0.4],
    distances: [0.2, 0.4],
    rerankScores: [],
    retrievalMs: 40,
    rerankMs: null,
    totalScanned: 900,
    candidates: 55,
    embedding: { texts: 4, cached: 0, tokens: 400, usd: 0.00008 },
    rerank: null,
    tokens: 400,
    usd: 0.00008,
    promptTokens: 80,
    gate: { retrieve: true, decidedBy: "few-files", ms: 1, confidence: 0.9, shadow: false, shadowHits: 0 },
    degraded: [],
    averageDistance: 0.3,
    languageMatch: 0.5,
    topK: 5,
    threshold: 0.3,
    calibrated: 0.3,
    admits: { distance: true, probability: 0.015 },
    createdAt: NOW - HOUR,
    ...more,
  };
}

/** A gate's decision to skip, not searched. */
export function aSkip(decidedBy: string, more: Partial<LoggedRetrieval> = {}): LoggedRetrieval {
  const nothing = { ids: [], scores: [], distances: [], averageDistance: null, languageMatch: null };
  const gate = { retrieve: false, decidedBy, ms: 2, confidence: 0.99, shadow: false, shadowHits: 0 };
  const free = { embedding: { texts: 0, cached: 0, tokens: 0, usd: 0 }, tokens: 0, usd: 0, retrievalMs: 2 };
  return anEntry({ ...nothing, ...free, gate, searched: false, query: "", ...more });
}

/** An empty log, and the figures over it. */
export interface OpenLog {
  readonly log: RetrievalLog;
  readonly statistics: RetrievalStatistics;
}

/** What every log of retrievals and its statistics promise. The window ends at NOW. */
export function retrievalLogContract(name: string, open: () => OpenLog | Promise<OpenLog>): void {
  describe(`${name} keeps the promises of a retrieval log`, () => {
    let log: RetrievalLog;
    let statistics: RetrievalStatistics;
    beforeEach(async () => {
      ({ log, statistics } = await open());
    });
    const given = async (...entries: readonly LoggedRetrieval[]) => {
      for (const entry of entries) await log.write(entry);
    };

    test("nothing written is zeros everywhere [003-09]", async () => {
      const figures = await statistics.read(DAY);
      expect(figures.count).toBe(0);
      const numbers = JSON.stringify(figures).match(/:-?\d[\d.]*/g) ?? [];
      expect(numbers.length).toBeGreaterThan(25);
      expect(numbers.filter((number) => number !== ":0")).toEqual([]);
    });

    test("times are percentiles of the searches, and each method has its own mean [003-09][003-31][003-43]", async () => {
      const times = Array.from({ length: 100 }, (_, index) => index + 1);
      await given(...times.map((retrievalMs) => anEntry({ retrievalMs })));
      await given(anEntry({ origin: "search", method: "semantic", retrievalMs: 1_000 }));
      const { count, ms, byMethod } = await statistics.read(DAY);
      expect(count).toBe(101);
      expect(ms).toEqual({ p50: 51, p95: 96, p99: 100, average: (5050 + 1000) / 101 });
      expect(byMethod).toEqual([
        { origin: "review", method: "hybrid", count: 100, averageMs: 50.5 },
        { origin: "search", method: "semantic", count: 1, averageMs: 1_000 },
      ]);
    });

    test("the same retrieval written twice is one", async () => {
      const entry = anEntry();
      await given(entry, entry);
      expect((await statistics.read(DAY)).count).toBe(1);
    });

    test("only the window counts, and only the repository that is asked about, by key or by name in any case", async () => {
      await given(
        anEntry({ createdAt: NOW - 25 * HOUR }),
        anEntry(),
        anEntry({ repo: "github.com/7", repoName: "globex/Site" }),
      );
      expect((await statistics.read(DAY)).count).toBe(2);
      expect((await statistics.read({ ms: 48 * HOUR, repo: null })).count).toBe(3);
      expect((await statistics.read({ ...DAY, repo: "github.com/42" })).count).toBe(1);
      expect((await statistics.read({ ...DAY, repo: "GLOBEX/site" })).count).toBe(1);
      expect((await statistics.read({ ...DAY, repo: "globex/%" })).count).toBe(0);
    });

    test("the costs of embedding and of reranking are separate, and free ones are marked [003-43][003-46]", async () => {
      const rerank = {
        by: "rerank-2.5",
        ms: 300,
        tokens: 9_000,
        usd: 0.0005,
        topChanged: 0.4,
        meanMove: 3,
        failed: null,
      };
      await given(
        anEntry({ embedding: { texts: 4, cached: 3, tokens: 100, usd: 0.00002 }, usd: 0.00052, rerank, rerankMs: 300 }),
        anEntry({ embedding: { texts: 4, cached: 0, tokens: 400, usd: 0.00008 }, usd: 0.00008 }),
        anEntry({ rerank: { ...rerank, topChanged: 0, meanMove: 0, usd: 0, failed: "HTTP 503" }, usd: 0.00008 }),
        // All of it from the cache.
        anEntry({ embedding: { texts: 2, cached: 2, tokens: 0, usd: 0 }, usd: 0 }),
        // The keyless embedder: no tokens, no cache.
        anEntry({ embedding: { texts: 6, cached: 0, tokens: 0, usd: 0 }, usd: 0 }),
      );
      const { embedding, rerank: reported, usdPerRetrieval, gate } = await statistics.read(DAY);
      expect(gate.accuracy).toBeNull();
      expect(embedding).toMatchObject({ texts: 20, cached: 5, hitShare: 5 / 14, paid: 4, tokens: 900 });
      expect(embedding.usd).toBeCloseTo(0.00018, 10);
      expect(reported).toEqual({ count: 2, failed: 1, usd: 0.0005, averageMs: 300, topChanged: 0.4, meanMove: 3 });
      expect(usdPerRetrieval).toBeCloseTo(0.00068 / 5, 10);
    });

    test("skips are counted by their rule; a skip that was searched says whether skipping lost anything [001-26]", async () => {
      const shadow = (shadowHits: number) =>
        aSkip("lock-files", {
          searched: true,
          query: "chore: lock",
          retrievalMs: 30,
          gate: { retrieve: false, decidedBy: "lock-files", ms: 2, confidence: 0.99, shadow: true, shadowHits },
        });
      await given(aSkip("lock-files"), aSkip("release"), aSkip("cache"), shadow(0), shadow(2), anEntry(), anEntry());
      await given(anEntry({ gate: { ...anEntry().gate, decidedBy: "default" } }));
      await given(anEntry({ origin: "search", gate: { ...anEntry().gate, decidedBy: "disabled" } }));
      const { count, averageResults, gate } = await statistics.read(DAY);
      expect(count).toBe(6);
      expect(averageResults).toBe(2);
      expect(gate).toEqual({
        decisions: 8,
        skips: 5,
        skipShare: 5 / 8,
        byRule: [
          { rule: "lock-files", count: 3 },
          { rule: "cache", count: 1 },
          { rule: "release", count: 1 },
        ],
        fastPathShare: 7 / 8,
        cachedShare: 1 / 8,
        ms: { p50: 2, p95: 2, average: 13 / 8 },
        shadow: { searched: 2, hits: 1 },
        accuracy: 0.5,
        tokensPerSkip: 80,
        tokensSaved: 240,
      });
    });

    test("similarity, frequent questions and degraded parts are reported; a manual search has no language to match [003-31]", async () => {
      await given(
        anEntry({ averageDistance: 0.2, degraded: ["embedding", "vector-search"] }),
        anEntry({ averageDistance: null, languageMatch: null, ids: [], degraded: ["embedding"] }),
        anEntry({ query: "null check", origin: "search", averageDistance: 0.4, languageMatch: 0 }),
      );
      const figures = await statistics.read(DAY);
      expect(figures.averageDistance).toBeCloseTo(0.3, 10);
      expect(figures.averageScore).toBeCloseTo(0.7, 10);
      expect(figures.languageMatch).toBe(0.5);
      expect(figures.averageResults).toBeCloseTo(4 / 3, 10);
      expect(figures.topQueries).toEqual([
        { query: "feat: round prices in the cart", count: 2 },
        { query: "null check", count: 1 },
      ]);
      expect(figures.degraded).toEqual([
        { part: "embedding", count: 2 },
        { part: "vector-search", count: 1 },
      ]);
    });
  });
}
