// What kodiai memory shows, exports and imports of memories that a model described.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { describeMemories } from "../../src/flows/memory/describe-memories.ts";
import { exportLine } from "../../src/learn/remember/parse-row.ts";
import { memoryVerbPorts } from "../../src/wire/cli/memory-ports.ts";
import { modelAccess } from "../../src/wire/cli/model.ts";
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

const run = (words: readonly string[]) =>
  kodiai(["memory", ...words, "--data-dir", join(folder, "data")], { cwd: folder });

/** As the server's job does it. */
async function describeAll() {
  vi.stubEnv("ANTHROPIC_BASE_URL", server.url);
  vi.stubEnv("ANTHROPIC_API_KEY", "sk-ant-0123456789abcdef");
  vi.stubEnv("KODIAI_MODEL", "claude-haiku-5-5");
  const ports = await memoryVerbPorts(join(folder, "data"));
  try {
    const repo = await ports.repoOf("acme/payments");
    const access = await modelAccess({ use: "auto", onQuestion: () => {} }, repo, ports.spending);
    if (access === null) throw new Error("no model");
    const wish = { repo, most: 100, after: null, usdPerMonth: 10, remembering: { redact: ports.redact } };
    return await describeMemories(wish, { ...ports, access, now: Date.now });
  } finally {
    ports.close();
    vi.unstubAllEnvs();
  }
}

test("memories are described once; the page shows who wrote what, the statistics why others have no lesson [002-06][002-38]", async () => {
  expect(await describeAll()).toMatchObject({
    looked: 3,
    described: 1,
    without: new Map([
      ["rejected/question", 1],
      ["rejected/declined", 1],
    ]),
    stopped: null,
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

  expect(await describeAll()).toMatchObject({ looked: 0 });
  expect(server.requests).toHaveLength(2);
});

test("an export holds the fields, and an import keeps them: with their file, and under a file without them [002-03]", async () => {
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
