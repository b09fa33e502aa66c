// Pull requests of a size that nobody wants to review: they are reviewed within bounds, and the
// bounds are told.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Harness, openHarness } from "./app-harness.ts";
import { BALANCE, said, summaryOf } from "./change-builders.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

/** So many files, every hundredth with a finding. */
function manyFiles(count: number): Record<string, string> {
  const names = Array.from({ length: count }, (_, at) => `src/part-${String(at).padStart(4, "0")}.py`);
  return Object.fromEntries(names.map((name, at) => [name, at % 100 === 0 ? BALANCE : `value_${at} = ${at}\n`]));
}

async function review(name: string, files: Record<string, string>) {
  const repository = await harness.world.repository("acme", name, { files: { "README.md": "# Big\n" } });
  const pull = await harness.world.pullRequest(repository, { title: "Move everything", files });
  expect(await harness.settled(pull)).toMatchObject({ state: "done", attempt: 1 });
  expect(harness.world.violations).toEqual([]);
  return { said: said(harness.world, pull), summary: summaryOf(harness.world, pull).body };
}

test("three hundred files are all reviewed [R16]", async () => {
  const { said: comments, summary } = await review("big", manyFiles(300));
  expect(comments.toSorted()).toEqual(
    [0, 100, 200].map((at) => `src/part-0${String(at).padStart(3, "0")}.py:5 tls-verify-disabled`),
  );
  expect(summary).toMatch(/^\*\*3 major findings open\*\*\n\nAll inline\./);
  expect(summary).toContain("300 files reviewed (300 source)");
});

test("one line of a megabyte is reviewed with the rest of its pull request [R16]", async () => {
  const line = `data = "${"lorem ipsum dolor sit amet ".repeat(40_000)}"\n`;
  const { said: comments, summary } = await review("wide", {
    "src/wide.py": line + BALANCE,
    "src/balance.py": BALANCE,
  });
  expect(comments).toContain("src/balance.py:5 tls-verify-disabled");
  expect(summary).toContain("src/wide.py");
});

// GitHub lists 3,000 files of a pull request and no more. Takes about a minute on a busy machine:
// NIGHTLY=1 runs it.
describe.runIf(process.env.NIGHTLY === "1")("slow", () => {
  test("three thousand files are reviewed within the bounds that the summary shows [R16]", async () => {
    const { said: comments, summary } = await review("vast", manyFiles(3_000));
    expect(comments).toHaveLength(10);
    expect(summary).toMatch(/^\*\*30 major findings open\*\*\n\n10 inline, 20 below\./);
    expect(summary).toContain("`head-text`");
  });
});
