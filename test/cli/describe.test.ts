// kodiai memory describe as people run it: the price first, the questions only when they are wanted, and what is left.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exportLine } from "../../src/learn/remember/parse-row.ts";
import { says } from "../fakes/anthropic/replies.ts";
import { startAnthropic } from "../fakes/anthropic/server.ts";
import { givenRecord } from "../learn/memory-builders.ts";
import { LESSON, reply, SITUATION } from "../learn/model-descriptions.ts";
import { kodiai } from "./kodiai.ts";

let folder: string;
let server: Awaited<ReturnType<typeof startAnthropic>>;
const first = givenRecord();
const rows = [
  first,
  givenRecord({ sourceId: "2", text: "Is this really needed? I wonder what the flag was once meant for." }),
  givenRecord({ sourceId: "3", outcome: "declined" }),
];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kodiai-describe-"));
  const rejected = { status: "rejected", reason: "question", situation: null, lesson: null, tags: [] };
  server = await startAnthropic({
    replies: ({ prompt }) => says(prompt.includes("Is this really needed?") ? reply(rejected) : reply()),
  });
  writeFileSync(join(folder, "rows.jsonl"), rows.map(exportLine).join("\n"));
  expect(await run(["import", join(folder, "rows.jsonl")])).toMatchObject({ code: 0 });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.close();
});

const run = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  kodiai(["memory", ...words, "--data-dir", join(folder, "data")], { cwd: folder, env });
const named = () => ({
  ANTHROPIC_BASE_URL: server.url,
  ANTHROPIC_API_KEY: "sk-ant-0123456789abcdef",
  KODIAI_MODEL: "claude-haiku-5-5",
});

test("without a model it says which variables name one", async () => {
  const { code, err } = await run(["describe", "acme/payments"]);
  expect(code).toBe(2);
  expect(err).toContain("ANTHROPIC_API_KEY");
});

test("the cost is printed first, and no question is sent without --yes", async () => {
  const { code, out } = await run(["describe", "acme/payments"], named());
  expect(code).toBe(0);
  expect(out).toMatch(/acme\/payments: 3 memories are not described yet, 2 of them by a model\n/);
  expect(out).toMatch(/about \d{4} tokens in and 500 out: about USD 0\.\d\d at the price of claude-haiku-5-5/);
  expect(out).toContain("the model was not called; --yes calls it");
  expect(server.requests).toEqual([]);
});

test("a budget that is too small stops it with the reason", async () => {
  const { code, out } = await run(["describe", "acme/payments", "--yes", "--budget", "0.001"], named());
  expect(code).toBe(3);
  expect(out).toContain("stopped: what is left of this month's budget of USD 0.001 does not pay");
  expect(server.requests).toEqual([]);
});

test("with --yes memories are described, once; the page shows who wrote what, the statistics why others have no lesson", async () => {
  const { code, out } = await run(["describe", "acme/payments", "--yes", "--json"], named());
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    version: 1,
    estimate: { memories: 3, questions: 2 },
    done: {
      looked: 3,
      asked: 2,
      described: 1,
      without: { "rejected/question": 1, "rejected/declined": 1 },
      stopped: null,
    },
  });
  expect(server.requests).toHaveLength(2);

  const page = (await run(["show", first.id, "--repo", "acme/payments"])).out;
  expect(page).toContain(
    `written by claude-haiku-5-5, confidence 1:\n  situation: ${SITUATION}\n  lesson: ${LESSON}\n`,
  );
  expect(page).toContain("files alike: src/charge/*.cc");
  expect(page).toContain(first.text);
  const stats = (await run(["stats", "--repo", "acme/payments"])).out;
  expect(stats).toContain(
    "lessons: 1; without, by rule: rejected/declined 1, rejected/question 1; not described yet: 0",
  );

  const again = await run(["describe", "acme/payments", "--yes"], named());
  expect(again.out).toContain("every memory is described");
  expect(server.requests).toHaveLength(2);
});

test("an export holds the fields, and an import keeps them: with their file, and under a file without them", async () => {
  const file = join(folder, "out.jsonl");
  await run(["export", file, "--repo", "acme/payments"]);
  const other = join(folder, "other");
  const into = (words: readonly string[]) => kodiai(["memory", ...words, "--data-dir", other], { cwd: folder });
  for (const name of [file, join(folder, "rows.jsonl")]) {
    expect(await into(["import", name])).toMatchObject({ code: 0 });
    const shown = await into(["show", first.id, "--repo", "acme/payments"]);
    expect(shown.out).toContain(`written by claude-haiku-5-5, confidence 1:\n  situation: ${SITUATION}`);
  }
});
