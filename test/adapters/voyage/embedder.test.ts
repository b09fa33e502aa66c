import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { GeneratedVoyageAIClient } from "voyageai";
import { VOYAGE_URL, voyageEmbedder } from "../../../src/adapters/voyage/voyage.ts";
import { type ScriptedServer, scriptedServer } from "../../fakes/scripted-server.ts";
import { DIMENSION, embedderContract, happy, KEY } from "../contracts/embedder.ts";

embedderContract("the Voyage embedder", {
  path: "/v1/embeddings",
  batch: 128,
  price: 0.18,
  make: (url, limits, apiKey) =>
    voyageEmbedder({ apiKey, baseUrl: `${url}/v1`, dimension: DIMENSION, fetch, now: Date.now, limits }),
});

let server: ScriptedServer;
beforeAll(async () => {
  server = await scriptedServer();
  server.script(happy());
});
afterAll(() => server.close());

test.each(["query", "document"] as const)(
  "a %s is announced as one, in the service's own words [000-12]",
  async (kind) => {
    server.received.length = 0;
    const embedder = voyageEmbedder({
      apiKey: KEY,
      baseUrl: `${server.url}/v1`,
      dimension: DIMENSION,
      fetch,
      now: Date.now,
      limits: {},
    });
    await embedder.embed(["let x = 1"], kind);
    expect(server.received.map(({ body }) => body)).toEqual([
      { input: ["let x = 1"], model: "voyage-code-3", input_type: kind, output_dimension: DIMENSION, truncation: true },
    ]);
  },
);

test("what the SDK read is what is used", async () => {
  const sdk = vi.spyOn(GeneratedVoyageAIClient.prototype, "embed");
  const other = Array.from({ length: DIMENSION }, (_, at) => (at === 0 ? 2 : 0));
  sdk.mockResolvedValue({ data: [{ index: 0, embedding: other }], usage: { totalTokens: 7 } });
  const options = { apiKey: KEY, baseUrl: `${server.url}/v1`, dimension: DIMENSION, fetch, now: Date.now, limits: {} };
  const embedded = await voyageEmbedder(options).embed(["let x = 1"], "query");
  sdk.mockRestore();
  expect([embedded.vectors[0]?.[0], embedded.tokens]).toEqual([1, 7]);
});

test("without settings it is voyage-code-3 with 1,024 numbers, relevant under a distance of .3 [000-13]", () => {
  const embedder = voyageEmbedder({ apiKey: KEY, baseUrl: VOYAGE_URL, fetch, now: Date.now, limits: {} });
  expect(embedder).toMatchObject({ space: { model: "voyage-code-3", dimension: 1024 }, threshold: 0.3, weight: 1 });
});

test("a request stays below the tokens that the service takes at once", async () => {
  server.received.length = 0;
  const embedder = voyageEmbedder({
    apiKey: KEY,
    baseUrl: `${server.url}/v1`,
    dimension: DIMENSION,
    fetch,
    now: Date.now,
    limits: {},
  });
  // 20,000 tokens each by the estimate: six are 120,000.
  const texts = Array.from({ length: 13 }, (_, at) => `${at}`.padStart(70_000, "x"));
  await embedder.embed(texts, "document");
  expect(server.received.map(({ body }) => (body.input as string[]).length)).toEqual([6, 6, 1]);
});

test("a model that could run inside the SDK is still asked over the network", async () => {
  server.received.length = 0;
  const options = { apiKey: KEY, baseUrl: `${server.url}/v1`, dimension: DIMENSION, fetch, now: Date.now, limits: {} };
  const { vectors, usd } = await voyageEmbedder({ ...options, model: "voyage-4-nano" }).embed(["let x = 1"], "query");
  expect(server.received.length).toBe(1);
  expect([vectors.length, usd]).toEqual([1, 0]);
});
