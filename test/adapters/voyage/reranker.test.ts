import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { GeneratedVoyageAIClient } from "voyageai";
import { voyageReranker } from "../../../src/adapters/voyage/voyage.ts";
import {
  type Answer,
  hang,
  json,
  reset,
  type ScriptedServer,
  scriptedServer,
  stall,
  status,
  text,
} from "../../fakes/scripted-server.ts";
import { CANDIDATES, QUERY, rerankerContract } from "../contracts/reranker.ts";

const KEY = "pa-secret";
const FAULTS: readonly [string, Answer, RegExp][] = [
  ["busy for a day", status(429, { "retry-after": "86400" }), /answered 429/],
  ["broken", status(500, {}, `"${KEY}"`), /answered 500/],
  ["wrong key", status(401), /answered 401: no; check its key/],
  ["a proxy's page", text("<html></html>", "text/html"), /not the JSON/],
  ["cut-off JSON", text('{"data":[{"index":1,'), /not the JSON/],
  ["a row that is none", json({ data: [null] }), /not the JSON it promises \(data\.0: expected object\)/],
  [
    "a score that is text",
    json({ data: [{ index: 1, relevance_score: KEY }] }),
    /data\.0\.relevance_score: expected number/,
  ],
  ["tokens that are text", json({ data: [{ index: 1 }], usage: { total_tokens: KEY } }), /usage\.total_tokens/],
  ["a kind that is a number", json({ object: 7, data: [{ index: 1, relevance_score: 1 }] }), /object: expected string/],
  ["silence", hang, /within 300 ms/],
  ["stalling", stall, /within 300 ms/],
  ["reset", reset, /no connection/],
];

let server: ScriptedServer;
const printed: unknown[] = [];
beforeAll(async () => {
  server = await scriptedServer();
  vi.spyOn(console, "warn").mockImplementation((...words) => void printed.push(words));
  vi.spyOn(console, "error").mockImplementation((...words) => void printed.push(words));
});
afterAll(async () => {
  vi.restoreAllMocks();
  await server.close();
});
beforeEach(() => {
  server.received.length = 0;
});
afterEach(() => expect(printed.splice(0)).toEqual([]));

/**
 * A short patience only for what never answers: a busy machine may need long for a first request.
 */
function make(attemptMs = 10_000) {
  const limits = { attemptMs };
  const reranker = voyageReranker({ apiKey: KEY, baseUrl: `${server.url}/v1`, fetch, now: Date.now, limits });
  return { reranker, requests: () => server.received.length };
}

const scored = (places: readonly unknown[]) =>
  json({
    data: places.map((index, rank) => ({ index, relevance_score: 0.9 - rank / 10 })),
    usage: { total_tokens: 2_000_000 },
  });

rerankerContract(
  "the Voyage reranker",
  () => ({
    naming(places) {
      server.script(scored(places));
      return make();
    },
    failing: FAULTS.map(([name, fault, reason]) => ({
      name,
      reason,
      make() {
        server.script(fault);
        return make(fault === hang || fault === stall ? 300 : undefined);
      },
    })),
  }),
  FAULTS.map(([name]) => name),
);

test("one request carries the query and every text; the price is that of rerank-2.5", async () => {
  server.script(scored([1]));
  const { usd, tokens } = await make().reranker.rerank(QUERY, CANDIDATES, 2);
  expect([tokens, usd]).toEqual([2_000_000, 0.1]);
  expect(server.received.map(({ path, body }) => [path, body])).toEqual([
    [
      "/v1/rerank",
      {
        query: QUERY,
        documents: CANDIDATES.map((candidate) => (candidate.text === "" ? "-" : candidate.text)),
        model: "rerank-2.5",
        truncation: true,
      },
    ],
  ]);
});

test("rows without a place or a score are ignored, in any order", async () => {
  const rows = [{}, { index: 1 }, { relevance_score: 0.9 }, { index: 0, relevance_score: null }];
  const sound = [
    { index: 3, relevance_score: 0.2 },
    { index: 2, relevance_score: 0.7 },
  ];
  server.script(json({ data: [...rows, ...sound], usage: null }));
  const { scores, tokens } = await make().reranker.rerank(QUERY, CANDIDATES, 3);
  expect([[...scores.keys()], tokens]).toEqual([["mem_c", "mem_d"], 0]);
});

test("what the SDK read is what is used", async () => {
  server.script(scored([1]));
  const sdk = vi.spyOn(GeneratedVoyageAIClient.prototype, "rerank");
  sdk.mockResolvedValue({ data: [{ index: 3, relevanceScore: 0.5 }], usage: { totalTokens: 7 } });
  const reranked = await make().reranker.rerank(QUERY, CANDIDATES, 2);
  sdk.mockRestore();
  expect(reranked).toMatchObject({ scores: new Map([["mem_d", 0.5]]), tokens: 7, failed: null });
});

test("of a thousand huge candidates 200 are sent, cut", async () => {
  server.script(scored([199]));
  const many = Array.from({ length: 1000 }, (_, at) => ({
    id: `m${at}`,
    text: "a word ".repeat(2_000),
    path: null,
    type: null,
    language: null,
    outcome: null,
  }));
  const { scores } = await make().reranker.rerank("a word ".repeat(8_000), many, 999);
  expect([...scores.keys()]).toEqual(["m199"]);
  const body = server.received[0]?.body as { query: string; documents: string[] };
  expect([body.query.length, body.documents.length, body.documents[0]?.length]).toEqual([4_000, 200, 4_000]);
});
