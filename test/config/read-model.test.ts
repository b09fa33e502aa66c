import { describe, expect, test } from "vitest";
import { readModel } from "../../src/config/environment/read-models.ts";

const KEY = "sk-ant-api03-3uX_4d8e";
const read = (variables: Record<string, string>) => readModel(new Map(Object.entries(variables)));
const OLLAMA = "http://localhost:11434";

test("with nothing set, no model is asked", () => {
  expect(read({})).toEqual({ model: null });
});

test("a key of Anthropic is enough", () => {
  expect(read({ ANTHROPIC_API_KEY: KEY })).toEqual({
    model: {
      provider: "anthropic",
      apiKey: KEY,
      baseUrl: null,
      names: { main: "claude-sonnet-5-5", small: "claude-haiku-5-5" },
      structuredOutput: "auto",
      temperature: null,
      contextTokens: null,
      usdPerMonth: null,
      repositoryPercent: 50,
    },
  });
});

test("a server of one's own needs no key, and the one model that is named serves for all", () => {
  const variables = {
    ANTHROPIC_BASE_URL: `${OLLAMA}/v1/`,
    KODIAI_MODEL: "qwen3-coder:30b",
    KODIAI_MODEL_TEMPERATURE: "0.2",
    KODIAI_MODEL_CONTEXT_TOKENS: "65536",
    KODIAI_USD_PER_MONTH: "200",
    KODIAI_MODEL_PRICE: "0",
    KODIAI_REPOSITORY_PERCENT: "20",
    KODIAI_MODEL_STRUCTURED_OUTPUT: "off",
  };
  expect(read(variables)).toEqual({
    model: {
      provider: "anthropic",
      apiKey: null,
      baseUrl: OLLAMA,
      names: { main: "qwen3-coder:30b", small: "qwen3-coder:30b" },
      structuredOutput: "off",
      temperature: 0.2,
      contextTokens: 65_536,
      usdPerMonth: 200,
      prices: { main: { input: 0, output: 0 }, small: { input: 0, output: 0 } },
      repositoryPercent: 20,
    },
  });
  expect(read({ ...variables, KODIAI_SMALL_MODEL: "qwen3:4b", KODIAI_SMALL_MODEL_PRICE: "0" })).toMatchObject({
    model: { names: { main: "qwen3-coder:30b", small: "qwen3:4b" } },
  });
});

test("Anthropic's small model stays when another main model of theirs is named, also at their written address", () => {
  const names = { main: "claude-opus-5-5", small: "claude-haiku-5-5" };
  expect(read({ ANTHROPIC_API_KEY: KEY, KODIAI_MODEL: "claude-opus-5-5" })).toMatchObject({ model: { names } });
  const written = {
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_BASE_URL: "https://api.anthropic.com/",
    KODIAI_MODEL: "claude-opus-5-5",
  };
  expect(read(written)).toMatchObject({ model: { names, baseUrl: "https://api.anthropic.com" } });
});

test.each([
  [
    { ANTHROPIC_BASE_URL: "https://api.anthropic.com" },
    "ANTHROPIC_API_KEY is not set; Anthropic's own server needs it",
  ],
  [{ ANTHROPIC_API_KEY: "sk ant" }, "ANTHROPIC_API_KEY must be the key alone: one line without spaces"],
  [
    { ANTHROPIC_BASE_URL: "http://model.example.com" },
    "ANTHROPIC_BASE_URL must begin with https://; plain http needs its host in KODIAI_ALLOW_HTTP_HOSTS",
  ],
  [{ ANTHROPIC_BASE_URL: "https://me:secret@example.com" }, "ANTHROPIC_BASE_URL must not hold a user name or password"],
  [{ ANTHROPIC_API_KEY: KEY, KODIAI_MODEL: "a b" }, "KODIAI_MODEL must be the name of a model"],
  [
    { ANTHROPIC_API_KEY: KEY, KODIAI_MODEL_STRUCTURED_OUTPUT: "yes" },
    "KODIAI_MODEL_STRUCTURED_OUTPUT must be `auto`, `on` or `off`",
  ],
  [
    { ANTHROPIC_BASE_URL: OLLAMA, KODIAI_MODEL_TEMPERATURE: "2.1" },
    "KODIAI_MODEL_TEMPERATURE must be a number from 0 to 2",
  ],
  [
    { ANTHROPIC_API_KEY: KEY, KODIAI_MODEL_TEMPERATURE: "0" },
    "KODIAI_MODEL_TEMPERATURE is refused by Anthropic's models; remove it, or set ANTHROPIC_BASE_URL",
  ],
  [
    { ANTHROPIC_BASE_URL: OLLAMA, KODIAI_MODEL_CONTEXT_TOKENS: "100" },
    "KODIAI_MODEL_CONTEXT_TOKENS must be a whole number from 4096 to 10000000",
  ],
  [
    { KODIAI_MODEL: "claude-opus-5-5" },
    "KODIAI_MODEL has no effect without ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, OPENAI_API_KEY or OPENAI_BASE_URL; set one of them or remove it",
  ],
  [
    { ANTHROPIC_API_KEY: KEY, KODIAI_USD_PER_MONTH: "a lot" },
    "KODIAI_USD_PER_MONTH must be an amount in US$, such as 200 or 49.50",
  ],
  [
    { ANTHROPIC_API_KEY: KEY, KODIAI_REPOSITORY_PERCENT: "20" },
    "KODIAI_REPOSITORY_PERCENT has no effect without KODIAI_USD_PER_MONTH; set it, or remove the share",
  ],
  [
    { KODIAI_USD_PER_MONTH: "20" },
    "KODIAI_USD_PER_MONTH has no effect without ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, OPENAI_API_KEY or OPENAI_BASE_URL; set one of them or remove it",
  ],
  [
    { KODIAI_MODEL_TEMPERATURE: "0" },
    "KODIAI_MODEL_TEMPERATURE has no effect without ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, OPENAI_API_KEY or OPENAI_BASE_URL; set one of them or remove it",
  ],
])("%j is refused, and the fix is named", (variables, problem) => {
  expect(read(variables as Record<string, string>)).toEqual({ problems: [problem] });
});

test("plain http is for loopback and listed hosts", () => {
  const variables = { ANTHROPIC_BASE_URL: "http://ollama:11434", KODIAI_ALLOW_HTTP_HOSTS: "ollama:11434" };
  expect(read(variables)).toMatchObject({ model: { baseUrl: "http://ollama:11434" } });
});

describe("with OpenAI's protocol", () => {
  test("a key is enough", () => {
    expect(read({ OPENAI_API_KEY: KEY })).toMatchObject({
      model: { provider: "openai", apiKey: KEY, baseUrl: null, names: { main: "gpt-6.1-sol", small: "gpt-6-luna" } },
    });
  });

  test.each([
    ["http://localhost:11434", "http://localhost:11434/v1"],
    ["http://localhost:11434/v1/", "http://localhost:11434/v1"],
    ["https://example.openai.azure.com/openai/v1/", "https://example.openai.azure.com/openai/v1"],
    [
      "https://generativelanguage.googleapis.com/v1beta/openai",
      "https://generativelanguage.googleapis.com/v1beta/openai",
    ],
  ])("an address is enough, with its path: %s", (url, baseUrl) => {
    expect(read({ OPENAI_BASE_URL: url, KODIAI_MODEL: "qwen3-coder:30b" })).toMatchObject({
      model: {
        provider: "openai",
        apiKey: null,
        baseUrl,
        names: { main: "qwen3-coder:30b", small: "qwen3-coder:30b" },
      },
    });
  });

  test("beside Anthropic's variables KODIAI_MODEL_PROVIDER decides, else they do", () => {
    const both = { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: "sk-proj-0123456789" };
    expect(read(both)).toMatchObject({ model: { provider: "anthropic", apiKey: KEY } });
    expect(read({ ...both, KODIAI_MODEL_PROVIDER: "openai" })).toMatchObject({
      model: { provider: "openai", apiKey: "sk-proj-0123456789" },
    });
    expect(read({ ...both, KODIAI_MODEL_PROVIDER: "anthropic" })).toMatchObject({ model: { apiKey: KEY } });
  });

  test.each([
    [
      { OPENAI_API_KEY: KEY, KODIAI_MODEL_PROVIDER: "open-ai" },
      "KODIAI_MODEL_PROVIDER must be `anthropic` or `openai`",
    ],
    [
      { ANTHROPIC_API_KEY: KEY, KODIAI_MODEL_PROVIDER: "openai" },
      "KODIAI_MODEL_PROVIDER is openai, but neither OPENAI_API_KEY nor OPENAI_BASE_URL is set; set one of them or remove it",
    ],
    [{ OPENAI_BASE_URL: "https://api.openai.com/v1" }, "OPENAI_API_KEY is not set; OpenAI's own server needs it"],
    [
      { OPENAI_BASE_URL: "http://model.example.com/v1" },
      "OPENAI_BASE_URL must begin with https://; plain http needs its host in KODIAI_ALLOW_HTTP_HOSTS",
    ],
  ])("%j is refused, and the fix is named", (variables, problem) => {
    expect(read(variables as Record<string, string>)).toEqual({ problems: [problem] });
  });
});

describe("a budget in US$ needs a price of every model that is asked", () => {
  const LIMITED = { ANTHROPIC_BASE_URL: OLLAMA, KODIAI_USD_PER_MONTH: "20", KODIAI_MODEL: "qwen3-coder:30b" };
  const problem = (variable: string, name: string) =>
    `${variable} is not set; KODIAI_USD_PER_MONTH needs it, because no price of ${name} is known: US$ for a million tokens in and out, such as 2/10, or 0`;

  test.each([
    ["one model", LIMITED, [problem("KODIAI_MODEL_PRICE", "qwen3-coder:30b")]],
    [
      "two models",
      { ...LIMITED, KODIAI_SMALL_MODEL: "qwen3:4b" },
      [problem("KODIAI_MODEL_PRICE", "qwen3-coder:30b"), problem("KODIAI_SMALL_MODEL_PRICE", "qwen3:4b")],
    ],
    [
      "the small one alone",
      { ...LIMITED, KODIAI_SMALL_MODEL: "qwen3:4b", KODIAI_MODEL_PRICE: "0" },
      [problem("KODIAI_SMALL_MODEL_PRICE", "qwen3:4b")],
    ],
    [
      "a gateway's name of a known model",
      { ...LIMITED, KODIAI_MODEL: "anthropic/claude-sonnet-5-5" },
      [problem("KODIAI_MODEL_PRICE", "anthropic/claude-sonnet-5-5")],
    ],
    [
      "a suffix that is no date",
      { ...LIMITED, KODIAI_MODEL: "claude-sonnet-5-5-fast" },
      [problem("KODIAI_MODEL_PRICE", "claude-sonnet-5-5-fast")],
    ],
    ["an inherited name", { ...LIMITED, KODIAI_MODEL: "constructor" }, [problem("KODIAI_MODEL_PRICE", "constructor")]],
  ])("%s", (_, set, problems) => {
    expect(read(set)).toEqual({ problems });
  });

  test("a known price is enough, with a date too; so is a given one, also 0", () => {
    const enough: Record<string, string>[] = [
      { KODIAI_MODEL: "claude-sonnet-5-5-20261007" },
      { KODIAI_MODEL_PRICE: "0" },
      { KODIAI_MODEL_PRICE: "0.5/2" },
    ];
    for (const more of enough) expect(read({ ...LIMITED, ...more })).not.toHaveProperty("problems");
    expect(read({ ...LIMITED, KODIAI_MODEL_PRICE: "0.5/2" })).toMatchObject({
      model: { prices: { main: { input: 0.5, output: 2 }, small: { input: 0.5, output: 2 } } },
    });
    const { KODIAI_USD_PER_MONTH: _, ...unlimited } = LIMITED;
    expect(read(unlimited)).not.toHaveProperty("problems");
  });

  test.each(["2", "2/", "/10", "free", "-1/2", "1/2/3", "Infinity/1", "1e9/1"])("%s is no price", (price) => {
    expect(read({ ...LIMITED, KODIAI_MODEL_PRICE: price })).toEqual({
      problems: [
        "KODIAI_MODEL_PRICE must be US$ for a million tokens in and out, such as 2/10, or 0 if they cost nothing",
      ],
    });
  });
});
