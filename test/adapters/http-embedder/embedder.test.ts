import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { httpEmbedder } from "../../../src/adapters/http-embedder/embedder.ts";
import { json, type ScriptedServer, scriptedServer } from "../../fakes/scripted-server.ts";
import { DIMENSION, embedderContract, happy } from "../contracts/embedder.ts";

const MODEL = "nomic-embed-text";

embedderContract("the embedder of OpenAI's shape", {
  path: "/v1/embeddings",
  batch: 32,
  price: 0,
  make: (baseUrl, limits, apiKey) =>
    httpEmbedder({ baseUrl, apiKey, model: MODEL, dimension: DIMENSION, fetch, now: Date.now, limits }),
});

let server: ScriptedServer;
beforeAll(async () => {
  server = await scriptedServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.received.length = 0;
  server.script(happy());
});

function keyless(baseUrl: string) {
  const unknown = { apiKey: null, dimension: null, limits: {} };
  return httpEmbedder({ baseUrl, model: MODEL, ...unknown, fetch, now: Date.now });
}

test.each(["", "/", "/v1", "/v1/"])("a local server needs no key, and its address may end in '%s'", async (end) => {
  const embedder = keyless(`${server.url}${end}`);
  await embedder.embed(["let x = 1"], "query");
  const [request] = server.received;
  expect(request).toMatchObject({ path: "/v1/embeddings", body: { model: MODEL, input: ["let x = 1"] } });
  expect(Object.keys(request?.body ?? {})).toEqual(["model", "input"]);
  expect(request?.headers.authorization).toBeUndefined();
});

test("the dimension is learned from the first sound vector and then held against all others", async () => {
  const embedder = keyless(server.url);
  expect(embedder.space).toEqual({ model: MODEL, dimension: 0 });
  server.script(json({ data: [{ index: 0, embedding: [0, 0, 0] }] }));
  await embedder.embed(["a1"], "query");
  expect(embedder.space.dimension).toBe(0);
  server.script(happy());
  await embedder.embed(["a1"], "query");
  expect(embedder.space.dimension).toBe(DIMENSION);
  server.script(json({ data: [{ index: 0, embedding: [1, 2, 3] }] }));
  const { vectors, failed } = await embedder.embed(["a1"], "query");
  expect(vectors).toEqual([null]);
  expect(failed).toMatch(/3 numbers and not 8/);
});
