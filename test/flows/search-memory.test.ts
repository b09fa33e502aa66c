// A search by hand over the real store, with an embedder that costs something.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { LoggedRetrieval } from "../../src/domain/figures/logged-retrieval.ts";
import { searchByHand } from "../../src/flows/memory/search-memory.ts";
import type { Embedder } from "../../src/ports/memory.ts";
import { UNAIDED } from "../../src/retrieve/retrieve.ts";
import { openStore, type Store } from "../../src/wire/store.ts";
import { fakeEmbedder } from "../fakes/memory.ts";
import { givenRecord, REPO } from "../learn/memory-builders.ts";

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "kodiai-search-"));
  store = await openStore(folder);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const paid = (): Embedder => {
  const free = fakeEmbedder();
  return {
    ...free,
    embed: async (texts, kind) => ({ ...(await free.embed(texts, kind)), tokens: 10 * texts.length, usd: 0.00001 }),
  };
};

test("each text is one entry; a question asked again comes from the cache and costs nothing", async () => {
  const embedder = store.cached(paid());
  await store.memory.remember([{ record: givenRecord(), vector: null }], embedder.space);
  const ports = { ...UNAIDED, embedder, recall: store.recall, retrievals: store.retrievals, now: Date.now };
  const search = { repo: REPO, method: "hybrid", filter: {}, topK: 5, threshold: null, rerank: "auto" } as const;

  const first = await searchByHand(["retry a charge", "retry a charge", "locks"], search, ports);
  expect(first.searches.map(({ text }) => text)).toEqual(["retry a charge", "locks"]);
  expect(first.searches.map(({ precedents }) => precedents.usage)).toEqual([
    { texts: 1, cached: 0, tokens: 10, usd: 0.00001 },
    { texts: 1, cached: 0, tokens: 10, usd: 0.00001 },
  ]);
  const again = await searchByHand(["retry a charge"], search, ports);
  expect(again.searches[0]?.precedents.usage).toEqual({ texts: 1, cached: 1, tokens: 0, usd: 0 });
  expect(again.memories.map(({ memory }) => memory.record.id)).toEqual([givenRecord().id]);

  const figures = await store.statistics.read({ ms: 60_000, repo: null });
  expect(figures).toMatchObject({ count: 3, byMethod: [{ origin: "search", method: "hybrid", count: 3 }] });
  expect(figures.embedding).toMatchObject({ texts: 3, cached: 1, hitShare: 1 / 3, tokens: 20, usd: 0.00002 });
  expect(figures.topQueries[0]).toEqual({ query: "retry a charge", count: 2 });
});

test("an embedder that fails leaves the words, and the entry says so", async () => {
  const embedder: Embedder = { ...fakeEmbedder(), embed: () => Promise.reject(new Error("no route to host")) };
  await store.memory.remember([{ record: givenRecord(), vector: null }], embedder.space);
  const kept: LoggedRetrieval[] = [];
  const retrievals = { write: async (entry: LoggedRetrieval) => void kept.push(entry) };
  const ports = { ...UNAIDED, embedder, recall: store.recall, retrievals, now: () => 7 };
  const search = { repo: REPO, method: "hybrid", filter: {}, topK: 5, threshold: null, rerank: "auto" } as const;
  const { memories } = await searchByHand(["retry a charge"], search, ports);
  expect(memories).toHaveLength(1);
  expect(kept).toMatchObject([
    { origin: "search", method: "keyword", degraded: ["embedding"], embedding: { texts: 1, tokens: 0 }, topK: 5 },
  ]);
});
