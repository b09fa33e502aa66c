import { expect, test } from "vitest";
import { readReranker } from "../../src/config/environment/read-models.ts";

const KEY = "pa-123456789";
const read = (variables: Record<string, string>) => readReranker(new Map(Object.entries(variables)));
const voyage = (more: Record<string, string> = {}) => read({ VOYAGE_API_KEY: KEY, KODIAI_RERANKER: "voyage", ...more });

test("nothing is reranked unless configured, even with a key", () => {
  for (const variables of [{}, { VOYAGE_API_KEY: KEY }, { VOYAGE_API_KEY: KEY, KODIAI_RERANKER: "off" }]) {
    expect(read(variables as Record<string, string>)).toEqual({ reranker: { kind: "off" } });
  }
});

test("voyage reranks with the key that is there, with another model on wish", () => {
  expect(voyage()).toEqual({ reranker: { kind: "voyage", apiKey: KEY, baseUrl: null, model: "rerank-2.5" } });
  expect(voyage({ KODIAI_RERANKER_MODEL: "rerank-2.5-lite" })).toEqual({
    reranker: { kind: "voyage", apiKey: KEY, baseUrl: null, model: "rerank-2.5-lite" },
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
  expect(read({ KODIAI_RERANKER: "voyage" })).toEqual({
    problems: ["VOYAGE_API_KEY is not set; KODIAI_RERANKER=voyage needs it"],
  });
  expect(read({ KODIAI_RERANKER_MODEL: "rerank-2.5-lite" })).toEqual({
    problems: ["KODIAI_RERANKER_MODEL has no effect without a reranker; remove it, or set KODIAI_RERANKER=voyage"],
  });
  expect(read({ KODIAI_RERANKER: "cohere" })).toEqual({
    problems: ["KODIAI_RERANKER must be `off` or `voyage`"],
  });
  const secret = read({ VOYAGE_API_KEY: "very-secret", KODIAI_RERANKER: "cohere" });
  expect(JSON.stringify(secret)).not.toContain("secret");
});
