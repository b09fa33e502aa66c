// Every row, promise and defence is shown by a test whose title carries its id.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { missingTests, readRows, taggedTests, testFiles } from "../scripts/tagged-tests.ts";
import { EnvVariables } from "../src/config/environment/env-variables.ts";
import { parseConfig } from "../src/config/parse-config.ts";

const rows = readRows(
  readFileSync("docs/internals/features.md", "utf8"),
  readFileSync("docs/internals/guarantees.md", "utf8"),
);

test("every id of the two pages is in the title of a test, and every tag is an id", () => {
  expect(missingTests(rows, taggedTests(testFiles()))).toEqual([]);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
});

test("an id without a test and a tag without an id are named", () => {
  const known = readRows(
    "| 000-01 | a query | default |\n| 000-02 | a key | retired: no user set it |\n",
    "### R1 It holds.",
  );
  const tests = taggedTests(new Map([["test/a.test.ts", 'test("works, `so` far [R1][T9]", () => {});']]));
  expect(tests.get("R1")).toEqual([{ id: "R1", file: "test/a.test.ts", title: "works, `so` far" }]);
  expect(missingTests(known, tests)).toEqual([
    "000-01 has no test: a query",
    "T9 is on no page: test/a.test.ts: works, `so` far",
  ]);
});

test("a row that does not hold by default names settings that can be reached", () => {
  const wrong = rows.flatMap(({ id, holds }) =>
    holds.startsWith("retired:")
      ? []
      : holds.split(", ").flatMap((key) => {
          const problem = key === "default" ? null : problemOf(key.replaceAll("`", ""));
          return problem === null ? [] : [`${id}: ${key}: ${problem}`];
        }),
  );
  expect(wrong).toEqual([]);
  expect(problemOf("knowledge.retrieval.fusion: learned")).toBe("is the default");
  expect(problemOf("knowledge.retrieval.fusion: fused")).toMatch(/must be/);
  expect(problemOf("KODIAI_POOLING")).toBe("is no variable");
});

const SPECIFICATION = resolve("../shared/spec/features.md");
const isHere = existsSync(SPECIFICATION);
if (!isHere)
  console.warn("skipped: ../shared is absent, so that no row is missing is checked against our own list only");

test.skipIf(!isHere)("no row of the specification is missing", () => {
  const specified = [...readFileSync(SPECIFICATION, "utf8").matchAll(/^\| (00[0-4]-\d\d) \|/gm)].map(([, id]) => id);
  expect(specified.length).toBeGreaterThan(150);
  const ids = new Set(rows.map(({ id }) => id));
  expect(specified.filter((id) => !ids.has(id ?? ""))).toEqual([]);
});

/** What is wrong with a setting that a row names; null for none. */
function problemOf(key: string): string | null {
  const [, suite] = /^npm run eval -- ([\w-]+) --/.exec(key) ?? [];
  if (suite !== undefined) return existsSync(`eval/suites/${suite}.ts`) ? null : "is no suite";
  const [, variable] = /^([A-Z][A-Z0-9_]+)(?:: \S+)?$/.exec(key) ?? [];
  if (variable !== undefined) return variable in EnvVariables.shape ? null : "is no variable";
  const [, path = "", value = ""] = /^([\w.]+): (.+)$/.exec(key) ?? [];
  const text = path.split(".").reduceRight((inner, name) => `{${name}: ${inner}}`, value);
  const { config, problems } = parseConfig([{ file: ".kodiai.yml", text }]);
  if (problems.length > 0) return problems.map(({ message }) => message).join();
  return isDeepStrictEqual(config, parseConfig([]).config) ? "is the default" : null;
}
