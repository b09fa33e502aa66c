import { expect, test } from "vitest";
import { readEmbeddings } from "../../src/config/environment/read-models.ts";
import { chosenEmbedder } from "../../src/wire/models.ts";

const KEY = "pa-3uX_4d8e";
const read = (variables: Record<string, string>) => readEmbeddings(new Map(Object.entries(variables)));
const OLLAMA = { KODIAI_EMBEDDINGS_URL: "http://localhost:11434", KODIAI_EMBEDDINGS_MODEL: "nomic-embed-text" };

test("with nothing set, nothing leaves the machine", () => {
  expect(read({})).toEqual({ embeddings: { kind: "local" } });
});

test("a key of Voyage is enough, and `local` keeps everything here in spite of it", () => {
  expect(read({ VOYAGE_API_KEY: KEY })).toEqual({
    embeddings: { kind: "voyage", apiKey: KEY, baseUrl: null, model: "voyage-code-3", dimension: 1024 },
  });
  expect(read({ VOYAGE_API_KEY: KEY, KODIAI_EMBEDDINGS: "local" })).toEqual({ embeddings: { kind: "local" } });
});

test("a server of OpenAI's shape needs an address and a model, and neither key nor dimension [002-21]", () => {
  expect(read({ KODIAI_EMBEDDINGS: "http", ...OLLAMA })).toEqual({
    embeddings: {
      kind: "http",
      baseUrl: "http://localhost:11434",
      model: "nomic-embed-text",
      dimension: null,
      apiKey: null,
    },
  });
  expect(read({ KODIAI_EMBEDDINGS: "http" })).toEqual({
    problems: [
      "KODIAI_EMBEDDINGS_URL is not set; KODIAI_EMBEDDINGS=http needs it",
      "KODIAI_EMBEDDINGS_MODEL is not set; KODIAI_EMBEDDINGS=http needs it",
    ],
  });
});

test("another address for Voyage's own API is understood", () => {
  const voyage = read({ VOYAGE_API_KEY: KEY, KODIAI_EMBEDDINGS_URL: "https://ai.mongodb.com/v1/" });
  expect(voyage).toMatchObject({ embeddings: { kind: "voyage", baseUrl: "https://ai.mongodb.com/v1" } });
});

test("voyage without its key is refused", () => {
  expect(read({ KODIAI_EMBEDDINGS: "voyage" })).toEqual({
    problems: ["VOYAGE_API_KEY is not set; KODIAI_EMBEDDINGS=voyage needs it"],
  });
});

test("code is not sent over plain http to unlisted hosts", () => {
  const far = { ...OLLAMA, KODIAI_EMBEDDINGS: "http", KODIAI_EMBEDDINGS_URL: "http://ollama:11434" };
  expect(read(far)).toEqual({
    problems: ["KODIAI_EMBEDDINGS_URL must begin with https://; plain http needs its host in KODIAI_ALLOW_HTTP_HOSTS"],
  });
  expect(read({ ...far, KODIAI_ALLOW_HTTP_HOSTS: "ollama:11434" })).toMatchObject({ embeddings: { kind: "http" } });
});

test("a setting without effect is a problem, since its author meant something by it", () => {
  expect(read(OLLAMA)).toEqual({
    problems: ["KODIAI_EMBEDDINGS_URL", "KODIAI_EMBEDDINGS_MODEL"].map(
      (name) => `${name} has no effect on local embeddings; remove it, or set KODIAI_EMBEDDINGS=http`,
    ),
  });
});

test("no problem shows a value", () => {
  const variables = { VOYAGE_API_KEY: "very secret", KODIAI_EMBEDDINGS_URL: "https://me:very-secret@example.com" };
  const reported = read(variables);
  expect(JSON.stringify(reported)).not.toContain("secret");
  const url = read({ KODIAI_EMBEDDINGS: "http", ...OLLAMA, KODIAI_EMBEDDINGS_URL: "https://me:pw@example.com" });
  expect(url).toEqual({ problems: ["KODIAI_EMBEDDINGS_URL must not hold a user name or password"] });
});

test("KODIAI_SCORE_THRESHOLD is a similarity for every repository, 0 included [003-02]", async () => {
  for (const [text, distance] of [
    ["0", 1],
    [".7", 0.3],
    ["1", 0],
  ] as const) {
    const given = read({ KODIAI_SCORE_THRESHOLD: text });
    if ("problems" in given) throw new Error(given.problems.join());
    expect((await chosenEmbedder(given.embeddings)).operatorThreshold).toBeCloseTo(distance, 9);
  }
  expect(read({ KODIAI_SCORE_THRESHOLD: "70" })).toHaveProperty("problems");
});
