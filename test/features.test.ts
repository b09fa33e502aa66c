// The table of rows and the tests that show them is kept honest: every row has a test that exists, or a reason why not.
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { featuresMarkdown, readFeatures } from "../scripts/features-markdown.ts";

const features = readFeatures(readFileSync("test/features.json", "utf8"));
const rows = Object.keys(features.titles);
const SPECIFICATION = resolve("../shared/spec/features.md");
const isHere = existsSync(SPECIFICATION);
if (!isHere) console.warn("the specification is not here: that no row is missing is checked against our own list only");

describe("the table of rows", () => {
  test("holds each row once, in order, with a title", () => {
    expect(rows.length).toBeGreaterThanOrEqual(182);
    expect(rows).toEqual(rows.toSorted());
    expect(rows.filter((row) => !/^00[0-5]-\d\d$/.test(row))).toEqual([]);
    expect(rows.filter((row) => (features.titles[row] ?? "").trim() === "")).toEqual([]);
  });

  test("says of every row which test shows it, or why none does yet, and not both", () => {
    const told = [...features.tests.keys(), ...Object.keys(features.awaited), ...Object.keys(features.pending)];
    expect(told.toSorted()).toEqual(rows);
    for (const reason of Object.values(features.awaited)) expect(reason).toMatch(/^(?:arrives with|measured by) /);
  });

  test("names files that exist and hold a test of that very title", () => {
    const texts = new Map<string, string>();
    const textOf = (file: string) => {
      if (!texts.has(file)) texts.set(file, existsSync(file) ? readFileSync(file, "utf8") : "");
      return texts.get(file) ?? "";
    };
    const missing = [...features.tests].flatMap(([row, pairs]) =>
      pairs
        .filter(([file, title]) => !file.startsWith("test/") || !holdsTitle(textOf(file), title))
        .map(([file, title]) => `${row}: ${file} has no test ${JSON.stringify(title)}`),
    );
    expect(missing).toEqual([]);
  });

  test("has no row that is still being built", () => {
    const pending = Object.entries(features.pending);
    expect(pending).toEqual([]);
  });

  test.skipIf(!isHere)(`misses no row of the specification${isHere ? "" : " (skipped: ../shared is absent)"}`, () => {
    const specified = [...readFileSync(SPECIFICATION, "utf8").matchAll(/^\| (00[0-4]-\d\d) \|/gm)].map(
      ([, row]) => row,
    );
    expect(specified.length).toBeGreaterThan(150);
    // Of the last group only what is shown so far.
    expect(rows.filter((row) => !row.startsWith("005"))).toEqual(specified.toSorted());
  });
});

test("docs/internals/features.md is what the table says, and generating checks it", async () => {
  expect(readFileSync("docs/internals/features.md", "utf8")).toBe(featuresMarkdown(features));
  const { stderr } = await promisify(execFile)(process.execPath, ["scripts/generate.ts", "--check"]);
  expect(stderr).not.toContain("docs/internals/features.md");
});

test("rows are named in the table and in no code", () => {
  const folders = ["src", "test", "eval", "bench", "scripts", "demo"];
  const naming = folders
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)))
    .filter((file) => /\.(?:ts|mjs)$/.test(file))
    .filter((file) => /(?<![\w.-])00[0-5]-[0-4]\d(?![\w.-])/.test(readFileSync(file, "utf8")));
  expect(naming).toEqual([]);
});

/** As the whole of a string: in quotes of any kind, or as the beginning of a template that goes on. */
function holdsTitle(text: string, title: string): boolean {
  const escaped = title.replaceAll("\\", "\\\\");
  return [`"${escaped.replaceAll('"', '\\"')}"`, `'${escaped}'`, `\`${escaped}\``, `\`${escaped}\${`].some((one) =>
    text.includes(one),
  );
}
