// What recurs, as people ask for it: a real memory in a folder, a process each.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { conventions } from "../../src/cli/memory/conventions.ts";
import { UsageError } from "../../src/cli/usage.ts";
import { readConfigFile } from "../../src/config/read-config-file.ts";
import { memoryId } from "../../src/domain/memory.ts";
import { exportLine } from "../../src/learn/remember/parse-row.ts";
import { AT, givenRecord } from "../learn/memory-builders.ts";
import { kodiai } from "./kodiai.ts";

const folder = mkdtempSync(join(tmpdir(), "kodiai-conventions-"));
const dataDir = join(folder, "data");
const run = (...words: readonly string[]) =>
  kodiai(["conventions", "--repo", "acme/payments", "--data-dir", dataDir, ...words], { cwd: folder });

beforeAll(async () => {
  const lines = [12, 13, 14].map((pull) => {
    const sourceId = `${pull}00`;
    const url = `https://github.com/acme/payments/pull/${pull}#discussion_r${sourceId}`;
    return exportLine(
      givenRecord({
        id: memoryId("github.com/42", "review_comment", sourceId),
        sourceId,
        text: "\u001b[31mOnly retry on timeouts, @octocat: a declined card must ``` not be ``` never be charged twice.",
        outcome: "accepted",
        path: `src/charge/retry${pull}.cc`,
        provenance: { url, author: "octocat", authorIsBot: false, sha: null, pull, at: AT },
      }),
    );
  });
  writeFileSync(join(folder, "rows.jsonl"), `${lines.join("\n")}\n`);
  const done = await kodiai(["memory", "import", join(folder, "rows.jsonl"), "--data-dir", dataDir], { cwd: folder });
  if (done.code !== 0) throw new Error(done.err);
});
afterAll(() => rmSync(folder, { recursive: true }));

test("conventions proposes an entry that .kodiai.yml takes, shows where it was said, and writes no file", async () => {
  const { code, out } = await run();
  expect(code).toBe(0);
  expect(out).toMatch(/^acme\/payments: 1 recurring comment among 3 memories of reviews$/m);
  expect(out).toMatch(
    /asked 3 times on 3 pull requests since 2026-04-14, accepted 3; src\/charge\/\*\*\/\*\.cc \(cpp\)/,
  );
  expect(out).toContain("#14, 2026-04-14, https://github.com/acme/payments/pull/14#discussion_r1400");
  expect(out).toContain("nothing was written");
  expect(out).not.toContain("\u001b");
  expect(existsSync(join(folder, ".kodiai.yml"))).toBe(false);
});

test("as JSON the YAML is there, and our own configuration reads it", async () => {
  const found = JSON.parse((await run("--json")).out);
  expect(found).toMatchObject({ version: 1, repo: "acme/payments", proposed: [{ pulls: 3, accepted: 3 }] });
  expect(readConfigFile(found.yaml).troubles).toEqual([]);
});

test("nothing recurs on four pull requests, nor from a later day on, and that is no failure", async () => {
  const [four, later] = await Promise.all([run("--min", "4"), run("--since", "2026-05-01")]);
  expect(four).toMatchObject({ code: 0, out: expect.stringContaining("0 recurring comments among 3") });
  expect(later).toMatchObject({ code: 0, out: expect.stringContaining("3: older than the requested time") });
});

test("where nothing is remembered it says so and makes no file", async () => {
  const nowhere = join(folder, "none");
  const { code, err } = await kodiai(["conventions", "--repo", folder, "--data-dir", nowhere], { cwd: folder });
  expect(code).not.toBe(0);
  expect(err).toMatch(/^kodiai conventions: /);
  expect(existsSync(nowhere)).toBe(false);
});

test.each([
  [["--min", "1"], "--min takes a whole number from 2 to 1000"],
  [["--min", "2.5"], "--min takes"],
  [["--since", "March"], "--since takes a day"],
  [["--since", "2026-02-30"], "--since takes a day"],
  [["--format", "sarif"], "--format takes one of pretty, json"],
  [["now"], 'unexpected argument "now"'],
])("conventions with %j is a mistake of usage", async (words, says) => {
  const asked = conventions([...words, "--data-dir", dataDir]);
  await expect(asked).rejects.toThrow(UsageError);
  await expect(asked).rejects.toThrow(says);
});
