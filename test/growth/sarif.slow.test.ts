// SARIF of any size: time grows with it up to the limits, and what is over them costs its parsing
// alone.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, expect, test } from "vitest";
import { sarifFiles } from "../../src/adapters/sarif/sarif-files.ts";
import { withToolFindings } from "../../src/review/tools/tool-findings.ts";
import { growthOf, MOST_GROWTH } from "./growth.ts";

const folder = mkdtempSync(join(tmpdir(), "kodiai-sarif-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

const LINES = 2_000;
const PATHS = ["a.ts", "b/a.ts"];

function written(size: number, text: string): string {
  const file = join(folder, `${size}.sarif`);
  writeFileSync(file, text);
  return file;
}

const read = (file: string) =>
  sarifFiles([file]).of({ settings: { codeScanning: false }, paths: PATHS, isInHead: async () => false } as never);

const RUN = '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"lint"}},"results":[';
const log = (results: readonly string[]) => `${RUN}${results.join(",")}]}]}`;
const result = (at: number, more = "") =>
  `{"ruleId":"R${at % 50}","message":{"text":"Wrong ${at}"}${more},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.ts"},"region":{"startLine":${(at % LINES) + 1}}}}]}`;
const results = (count: number) => Array.from({ length: count }, (_, at) => result(at));

const LAW: readonly (readonly [string, (size: number) => string, number])[] = [
  ["results", (size) => log(results(size)), 12_000],
  ["files", (size) => log(results(size).map((one, at) => one.replace("a.ts", `src/${at}/a.ts`))), 12_000],
  ["levels of nesting", (size) => log([result(1, `,"properties":${"[".repeat(size)}${"]".repeat(size)}`)]), 1_000_000],
  ["characters of a message", (size) => log([result(1).replace("Wrong", "w ".repeat(size))]), 2_000_000],
  ["bad JSON", (size) => log(results(size)).slice(0, -3), 50_000],
];

test.each(LAW)("twice the %s take at most so much longer", async (_, text, to) => {
  const sized = (size: number) => {
    const file = written(size, text(size));
    return () => read(file);
  };
  expect((await growthOf(sized, 1_000, to)).ratio).toBeLessThan(MOST_GROWTH);
});

test("results as findings: time grows with their number", async () => {
  const texts = Array.from({ length: LINES }, (_, at) => `const a${at} = ${at};`);
  const lines = texts.map((text, at) => ({ kind: "added", text, oldLine: null, newLine: at + 1 }));
  const hunks = [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: LINES, lines }];
  const files = [{ path: "a.ts", previousPath: null, status: "added", hunks }];
  const sized = (size: number) => {
    const file = written(size, log(results(size)));
    const reported = read(file);
    return async () => {
      const context = {
        files,
        headTexts: new Map([["a.ts", `${texts.join("\n")}\n`]]),
        leftOut: [],
        tools: await reported,
      };
      return withToolFindings([], context as never, new Map());
    };
  };
  expect((await growthOf(sized, 1_000, 12_000)).ratio).toBeLessThan(MOST_GROWTH);
});

/**
 * Bytes that a report of a million results may leave behind: neither its text nor what was parsed
 * of it.
 */
const MOST_KEPT = 8 << 20;

test("a million results are a cut that is counted, and nothing of them is kept", async () => {
  const file = written(1_000_000, log(Array(1_000_000).fill('{"ruleId":"R0"}')));
  await read(file);
  const before = await kept();
  const report = await read(file);
  expect((await kept()) - before).toBeLessThan(MOST_KEPT);
  expect(report.degraded).toEqual([
    { part: "tool-results", reason: "lint: 975,000 results over the limit of 25,000, not read" },
    { part: "tool-results", reason: "lint: 25,000 results without a file" },
  ]);
});

/** What is still held; buffers are let go a turn after their owners. */
async function kept(): Promise<number> {
  for (let turn = 0; turn < 3; turn += 1) {
    collect();
    await new Promise((done) => setTimeout(done, 50));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
