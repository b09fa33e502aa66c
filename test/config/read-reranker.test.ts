import { expect, test } from "vitest";
import { readReranker } from "../../src/config/read-reranker.ts";

const KEY = "pa-123456789";
const read = (variables: Record<string, string>) => readReranker(new Map(Object.entries(variables)));
const voyage = (more: Record<string, string> = {}) => read({ VOYAGE_API_KEY: KEY, KODIAI_RERANKER: "voyage", ...more });

test("nothing is reranked unless configured, even with a key", () => {
  for (const variables of [{}, { VOYAGE_API_KEY: KEY }, { VOYAGE_API_KEY: KEY, KODIAI_RERANKER: "off" }]) {
    expect(read(variables as Record<string, string>)).toEqual({ reranker: { kind: "off" } });
  }
});

test("voyage reranks with the key that is there, with another model or at another address on wish", () => {
  expect(voyage()).toEqual({ reranker: { kind: "voyage", apiKey: KEY, baseUrl: null, model: "rerank-2.5" } });
  expect(
    voyage({ KODIAI_RERANKER_MODEL: "rerank-2.5-lite", KODIAI_RERANKER_URL: "http://127.0.0.1:4000/v1/" }),
  ).toEqual({
    reranker: { kind: "voyage", apiKey: KEY, baseUrl: "http://127.0.0.1:4000/v1", model: "rerank-2.5-lite" },
  });
});

test("a key goes to the address that the embeddings of the same service named, and to no other service's", () => {
  const KODIAI_EMBEDDINGS_URL = "https://ai.mongodb.com/v1/";
  for (const variables of [{ KODIAI_EMBEDDINGS_URL }, { KODIAI_EMBEDDINGS_URL, KODIAI_EMBEDDINGS: "voyage" }]) {
    expect(voyage(variables as Record<string, string>)).toMatchObject({
      reranker: { baseUrl: "https://ai.mongodb.com/v1" },
    });
  }
  const ollama = { KODIAI_EMBEDDINGS: "http", KODIAI_EMBEDDINGS_URL: "http://localhost:11434" };
  expect(voyage(ollama)).toMatchObject({ reranker: { baseUrl: null } });
});

test("a missing, wrong or ineffective variable is reported by its name, never with its value", () => {
  expect(read({ KODIAI_RERANKER: "voyage", KODIAI_RERANKER_URL: "http://rerank.example.com" })).toEqual({
    problems: [
      "VOYAGE_API_KEY is not set; KODIAI_RERANKER=voyage needs it",
      expect.stringMatching(/^KODIAI_RERANKER_URL must/),
    ],
  });
  expect(read({ KODIAI_RERANKER_MODEL: "rerank-2.5-lite", KODIAI_RERANKER_URL: "https://ai.mongodb.com/v1" })).toEqual({
    problems: ["KODIAI_RERANKER_MODEL", "KODIAI_RERANKER_URL"].map(
      (name) => `${name} has no effect without a reranker; remove it, or set KODIAI_RERANKER=voyage`,
    ),
  });
  expect(read({ KODIAI_RERANKER: "cohere" })).toEqual({
    problems: ["KODIAI_RERANKER must be `off` or `voyage`"],
  });
  const secret = voyage({ KODIAI_RERANKER_URL: "https://me:very-secret@example.com" });
  expect(secret).toHaveProperty("problems");
  expect(JSON.stringify(secret)).not.toContain("secret");
});
