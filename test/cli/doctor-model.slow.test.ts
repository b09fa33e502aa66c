// What doctor says of the model, as the operator reads it. The model is asked only with --model.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Replies, startAnthropic as startServer } from "../fakes/anthropic/server.ts";
import { fails, says, wholeReply } from "../fakes/openai/replies.ts";
import { kodiai } from "./kodiai.ts";

let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), "kodiai-doctor-"));
});
afterAll(() => rmSync(dataDir, { recursive: true }));

const KEY = ["sk-ant-api03", "vE8rT2kQ9wLx4ZbN7mJcYp"].join("-");

async function doctor(env: Readonly<Record<string, string>>, ...words: readonly string[]) {
  const ran = await kodiai(["doctor", "--json", "--data-dir", dataDir, ...words], { cwd: dataDir, env });
  const { checks } = JSON.parse(ran.out) as { checks: { name: string; state: string; text: string }[] };
  const reported = checks.filter(({ name }) => ["model", "endpoint", "provider", "question", "budget"].includes(name));
  return { ...ran, reported: reported.map(({ name, state, text }) => `${state} ${name} ${text}`) };
}

test("the models of both tiers, with host, dialect, prices and budgets, and without the key", async () => {
  const { reported, out, code } = await doctor({ ANTHROPIC_API_KEY: KEY });
  expect(reported).toEqual([
    expect.stringMatching(
      /^ok model main: claude-sonnet-5-5, \d{6,7} tokens of context, USD \d+\.\d\d a million tokens in, \d+\.\d\d out$/,
    ),
    expect.stringMatching(/^ok model small: claude-haiku-5-5, .* USD /),
    "ok endpoint api.anthropic.com, with a key, structured output on (auto)",
    expect.stringMatching(
      /^ok budget USD 1 a review and \d+ a month and repository, unless \.kodiai\.yml says otherwise$/,
    ),
  ]);
  expect(out).not.toContain(KEY);
  expect(code).toBe(0);
});

test("a server of one's own: one model for both tiers, no price, and what that means for the budget", async () => {
  const { reported } = await doctor({
    ANTHROPIC_BASE_URL: "http://127.0.0.1:9/v1",
    KODIAI_MODEL: "qwen3-coder",
  });
  expect(reported).toEqual([
    "note model main and small: qwen3-coder, 32000 tokens of context, no price known",
    "ok endpoint 127.0.0.1:9, without a key, structured output off (auto)",
    expect.stringContaining("; they hold for no model without a known price: set KODIAI_MODEL_PRICE"),
  ]);
});

test("no model is a note, and a wrong one is broken and says why", async () => {
  expect((await doctor({})).reported).toEqual([
    expect.stringMatching(/^note model not configured \(rules and memory only\)/),
  ]);
  const wrong = await doctor({ ANTHROPIC_BASE_URL: "http://model.example.com" });
  expect(wrong.reported).toEqual([expect.stringMatching(/^broken model ANTHROPIC_BASE_URL /)]);
  expect(wrong.code).toBe(3);
});

test("with both providers' variables one line says who is asked, and how to change it", async () => {
  const both = { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: "sk-proj-0123456789" };
  expect((await doctor(both)).reported).toContain(
    "ok provider using Anthropic; OpenAI is also set and not used; KODIAI_MODEL_PROVIDER=openai uses it",
  );
  const { reported } = await doctor({ ...both, KODIAI_MODEL_PROVIDER: "openai" });
  expect(reported).toEqual([
    expect.stringMatching(/^ok model main: gpt-6\.1-sol, 1050000 tokens of context, USD 2\.00 .* 10\.00 out$/),
    expect.stringMatching(/^ok model small: gpt-6-luna, /),
    "ok endpoint api.openai.com, with a key, structured output on (auto)",
    "ok provider using OpenAI; Anthropic is also set and not used",
    expect.stringMatching(/^ok budget /),
  ]);
  expect((await doctor({ ...both, KODIAI_MODEL_PROVIDER: "open-ai" })).reported).toEqual([
    "broken model KODIAI_MODEL_PROVIDER must be `anthropic` or `openai`",
  ]);
});

async function asked(replies: Replies) {
  await using server = await startServer({ replies });
  const { reported, code } = await doctor({ OPENAI_BASE_URL: server.url, KODIAI_MODEL: "qwen3-coder" }, "--model");
  return { question: reported.find((one) => one.includes(" question ")), code, requests: server.requests };
}

test("--model asks one question, and says how fast it was answered and what the server takes", async () => {
  const full = await asked([says({ colour: "Amber" })]);
  expect(full.question).toMatch(
    /^ok question qwen3-coder answered: \d+ ms, 100 tokens in, 20 out, structured output yes$/,
  );
  expect(full.code).toBe(0);
  const little = await asked(({ body }) => {
    if (body.response_format !== undefined) return fails(400, { message: "response_format is not supported" });
    return says({ colour: "amber" });
  });
  expect(little.question).toMatch(/^note question .*structured output no \(refused\)$/);
});

test("--model with a wrong key is broken, and names the variable", async () => {
  const { question, code } = await asked([fails(401, { message: "Incorrect API key provided" })]);
  expect(question).toMatch(/^broken question qwen3-coder: .*401.*check OPENAI_API_KEY; \d+ ms/);
  expect(code).toBe(3);
});

test("--model asks a question as large as a review's, and names all that the server does not take", async () => {
  const { question, requests } = await asked(({ body }) => {
    if (body.stream === true) return fails(400, { message: "no streams", param: "stream" });
    if (body.max_tokens > 4_096)
      return fails(400, { message: `max_tokens: ${body.max_tokens} > 4096`, param: "max_tokens" });
    return wholeReply('{"findings":[],"ruleFindings":[],"walkthrough":""}');
  });
  expect(question).toMatch(
    /structured output yes; its server does not take streaming, replies of more than 4096 tokens/,
  );
  expect(requests).toHaveLength(3);
  expect(requests[0]?.prompt.length).toBeGreaterThan(40_000);
  expect(requests[0]?.body.response_format.json_schema.name).toBe("review");
});
