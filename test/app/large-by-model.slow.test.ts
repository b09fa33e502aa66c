// Pull requests of a size that no budget reads whole: what is read, what is not, and what it costs
// the machine.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const run = promisify(execFile);
const NIGHTLY = process.env.NIGHTLY === "1";
if (!NIGHTLY)
  console.warn("skipped: pull requests of 3,000 files and of 200,000 lines by a model; NIGHTLY=1 runs them");

async function measured(files: number, lines: number) {
  const { stdout } = await run(process.execPath, ["test/app/large-by-model.child.ts", `${files}`, `${lines}`]);
  const seen = JSON.parse(stdout) as Record<string, number>;
  console.log(`${files} files of ${lines} lines: ${stdout.trim()}`);
  return { ...seen, says: Boolean(seen.says) } as typeof seen & { says: boolean };
}

/**
 * One dollar a review by default; every file stands in the manifest or is left out with a reason.
 */
async function expectHonest(files: number, lines: number) {
  const seen = await measured(files, lines);
  expect(seen.usd).toBeLessThanOrEqual(1);
  expect(seen.full! + seen.partial! + seen.notRead! + seen.leftOut!).toBe(files);
  expect(seen.full! * lines).toBeLessThanOrEqual(seen.shown!);
  if (seen.partial! + seen.notRead! > 0) expect(seen.says).toBe(true);
  else expect(seen.shown).toBe(files * lines);
  expect(seen.summary).toBeLessThanOrEqual(60_000);
  expect(seen.rssMb).toBeLessThanOrEqual(512);
  return seen;
}

test("three hundred files are read whole", async () => {
  expect(await expectHonest(300, 3)).toMatchObject({ full: 300, found: 1 });
});

test("one file of twenty thousand lines is read as far as the money goes, and says how far [T24]", async () => {
  expect(await expectHonest(1, 20_000)).toMatchObject({ partial: 1 });
});

describe.runIf(NIGHTLY)("slow", () => {
  test("three thousand files", () => expectHonest(3_000, 1));
  test("two hundred thousand lines in one file", () => expectHonest(1, 200_000));
  test("two hundred thousand lines in a hundred files", () => expectHonest(100, 2_000));
});
