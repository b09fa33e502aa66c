// SARIF by an attacker, or by a tool that went wrong: bounded, counted, linear, and never a crash.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { changedPaths } from "../../src/adapters/sarif/artifact-path.ts";
import { placeOfError } from "../../src/adapters/sarif/json-value.ts";
import { sarifFiles } from "../../src/adapters/sarif/sarif-files.ts";

const folder = mkdtempSync(join(tmpdir(), "kodiai-sarif-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FILE = join(folder, "any.sarif");
const asked = {
  repo: {},
  pull: {},
  settings: { codeScanning: false },
  paths: ["a.ts", "b/a.ts"],
  isInHead: async () => false,
};

function read(text: string) {
  writeFileSync(FILE, text);
  return sarifFiles([FILE]).of(asked as never);
}

const log = (results: string, more = "") =>
  `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"lint"${more}}},"results":[${results}]}]}`;
const RESULT =
  '{"ruleId":"R","message":{"text":"x"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.ts"},"region":{"startLine":1}}}]}';

describe("limits", () => {
  test("results over the limit are counted", async () => {
    const { results, complete, degraded } = await read(log(Array(25_010).fill(RESULT).join(",")));
    expect(results).toHaveLength(25_000);
    expect(complete).toEqual([]);
    expect(degraded).toEqual([{ part: "tool-results", reason: "lint: 10 results over the limit of 25,000, not read" }]);
  });

  test("runs and files over the limit are counted", async () => {
    const one = `{"tool":{"driver":{"name":"lint"}},"results":[]}`;
    const { degraded } = await read(`{"version":"2.1.0","runs":[${Array(23).fill(one).join(",")}]}`);
    expect(degraded).toEqual([{ part: "tool-results", reason: "3 runs over the limit of 20, not read" }]);
    const many = await sarifFiles(Array(21).fill(FILE)).of(asked as never);
    expect(many.degraded.filter(({ part }) => part === "sarif")).toHaveLength(1);
  });

  test("a file is asked for once, and what could not be asked for lands on no other file", async () => {
    const paths = Array.from({ length: 600 }, (_, at) => `/github/workspace/src/${at % 310}/index.ts`);
    const questions: string[] = [];
    const isInHead = async (path: string) => {
      questions.push(path);
      return /^src\/\d+\/index\.ts$/.test(path);
    };
    const pathOf = changedPaths(["index.ts"], isInHead);
    for (const path of paths) expect(await pathOf(path)).toBeNull();
    expect(questions.length).toBeLessThanOrEqual(300);
    expect(new Set(questions).size).toBe(questions.length);
  });

  test("a nesting of 200,000 levels, endless texts and prototype keys do no harm", async () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    const { results } = await read(
      log(
        [
          RESULT.replace('"x"', JSON.stringify("a ".repeat(500_000))),
          RESULT.replace('"R"', '"__proto__"'),
          RESULT.replace('"message"', `"properties":${deep},"message"`),
          RESULT.replace('"uri":"a.ts"', `"uri":${JSON.stringify("a/".repeat(100_000))}`),
          '{"__proto__":{"ruleId":"x"},"constructor":1}',
          "null",
          "[]",
          "7",
        ].join(","),
        ',"__proto__":{"rules":[1]},"rules":[null,7,{"id":{}}]',
      ),
    );
    expect(results.map(({ title }) => title.length <= 210)).toEqual([true, true, true]);
    expect(({} as Record<string, unknown>).ruleId).toBeUndefined();
  });

  test("whatever JSON there is, it is read or named", async () => {
    const places = fc.constantFrom(
      "tool",
      "results",
      "locations",
      "region",
      "message",
      "rules",
      "fixes",
      "invocations",
    );
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), places, async (value, key) => {
        const text = JSON.stringify(value);
        for (const one of [
          text,
          log(`{"${key}":${text}}`),
          log(`${RESULT.slice(0, -1)},"${key}":${text}}`),
          log(RESULT, `,"${key}":${text}`),
        ])
          await read(one);
      }),
      { numRuns: 60, seed: 1 },
    );
  });
});

test("the place of wrong JSON is that of its first wrong character", () => {
  const text = JSON.stringify({ a: [1, -2.5e3, true, null, "x\\u00e9"], b: { c: "d" } }, null, 1);
  for (let at = 0; at < text.length; at++) {
    const lines = text.slice(0, at).split("\n");
    expect(placeOfError(text.slice(0, at))).toBe(`line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`);
  }
  expect(placeOfError('{\n "a": x}')).toBe("line 2, column 7");
  expect(placeOfError("<html>")).toBe("line 1, column 1");
  expect(placeOfError('{"a": 1} more')).toBe("line 1, column 10");
});
