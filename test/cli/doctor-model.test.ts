// What doctor says of the model, as the operator reads it. Nobody is asked.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kodiai } from "./kodiai.ts";

let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), "kodiai-doctor-"));
});
afterAll(() => rmSync(dataDir, { recursive: true }));

const KEY = ["sk-ant-api03", "vE8rT2kQ9wLx4ZbN7mJcYp"].join("-");

async function doctor(env: Readonly<Record<string, string>>) {
  const ran = await kodiai(["doctor", "--json", "--data-dir", dataDir], { cwd: dataDir, env });
  const { checks } = JSON.parse(ran.out) as { checks: { name: string; state: string; text: string }[] };
  const told = checks.filter(({ name }) => ["model", "endpoint", "budget"].includes(name));
  return { ...ran, told: told.map(({ name, state, text }) => `${state} ${name} ${text}`) };
}

test("the models of both tiers, with host, dialect, prices and budgets, and without the key", async () => {
  const { told, out, code } = await doctor({ ANTHROPIC_API_KEY: KEY });
  expect(told).toEqual([
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
  const { told } = await doctor({
    ANTHROPIC_BASE_URL: "http://127.0.0.1:9/v1",
    KODIAI_MODEL: "qwen3-coder",
    KODIAI_USD_PER_MONTH: "40",
  });
  expect(told).toEqual([
    "note model main and small: qwen3-coder, 32000 tokens of context, no price known",
    "ok endpoint 127.0.0.1:9, without a key, structured output off (auto)",
    expect.stringContaining("; USD 40 a month for all of them; what has no price counts as free"),
  ]);
});

test("no model is a note, and a wrong one is broken and says why", async () => {
  expect((await doctor({})).told).toEqual([expect.stringMatching(/^note model none: rules and memory only/)]);
  const wrong = await doctor({ ANTHROPIC_BASE_URL: "http://model.example.com" });
  expect(wrong.told).toEqual([expect.stringMatching(/^broken model ANTHROPIC_BASE_URL /)]);
  expect(wrong.code).toBe(3);
});
