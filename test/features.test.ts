// The table of rows and the tests that show them is kept honest: every row has a test that exists, or a reason why not.
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isDeepStrictEqual, promisify } from "node:util";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { featuresMarkdown, readFeatures, rowHolds } from "../scripts/features-markdown.ts";
import { EnvVariables } from "../src/config/environment/env-variables.ts";
import { parseConfig } from "../src/config/parse-config.ts";

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
    const reported = [...features.tests.keys(), ...Object.keys(features.awaited), ...Object.keys(features.pending)];
    expect(reported.toSorted()).toEqual(rows);
    for (const reason of Object.values(features.awaited)) expect(reason).toMatch(/^(?:arrives with|measured by) /);
  });

  test("names files that exist and hold a test of that very title", () => {
    const texts = new Map<string, string>();
    const textOf = (file: string) => {
      if (!texts.has(file)) texts.set(file, existsSync(file) ? readFileSync(file, "utf8") : "");
      return texts.get(file) ?? "";
    };
    const missing = [...features.tests].flatMap(([row, tests]) =>
      tests
        .filter(({ file, title }) => !file.startsWith("test/") || !holdsTitle(textOf(file), title))
        .map(({ file, title }) => `${row}: ${file} has no test ${JSON.stringify(title)}`),
    );
    expect(missing).toEqual([]);
  });

  test("names settings that an operator can reach: a key with a value of its own, a variable, or a command", () => {
    const wrong = [...features.tests].flatMap(([row, tests]) =>
      rowHolds(tests).flatMap((key) => {
        const problem = key === "default" ? null : problemOf(key);
        return problem === null ? [] : [`${row}: ${key}: ${problem}`];
      }),
    );
    expect(wrong).toEqual([]);
    expect(problemOf("knowledge.retrieval.fusion: learned")).toBe("is the default");
    expect(problemOf("knowledge.retrieval.fusion: fused")).toMatch(/must be/);
    expect(problemOf("knowledge.retrieval.pooling: rrf")).toMatch(/unknown key/);
    expect(problemOf("KODIAI_POOLING")).toBe("is no variable");
  });

  test("names the order of memory that a test asks for, where it is not the default one", () => {
    const silent = [...features.tests].flatMap(([row, tests]) =>
      tests.flatMap(({ file, title, under }) => {
        // A contract keeps rows that name a method, and searches nothing.
        const text = file.includes("/contracts/") ? "" : testText(file, title);
        return ASKED_ORDERS.filter(([asks, key]) => asks.test(text) && !under.some((one) => one.startsWith(key))).map(
          ([, key]) => `${row}: ${title}: asks for ${key}`,
        );
      }),
    );
    expect(silent).toEqual([]);
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

/** How tests ask for another order than the default one → the key that the row must name. */
const ASKED_ORDERS: readonly (readonly [asks: RegExp, key: string])[] = [
  [/\bbyRank\(|fusion: "?rrf/, "knowledge.retrieval.fusion: rrf"],
  [/\bbyScore\(|fusion: "?weighted/, "knowledge.retrieval.fusion: weighted"],
  [/\bbySemantic\(|method: "?semantic\b[^}]*\}\s*[)}]/, "knowledge.retrieval.method"],
];

/** What is wrong with a key that a row names; null for none. */
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

const textsOf = new Map<string, ReadonlyMap<string, string>>();

/** The text of a test, with its table. */
function testText(file: string, title: string): string {
  const known = textsOf.get(file);
  if (known !== undefined) return known.get(title) ?? "";
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest);
  const texts = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    const [name] = ts.isCallExpression(node) ? node.arguments : [];
    if (name !== undefined && ts.isStringLiteralLike(name)) texts.set(name.text, source.text.slice(node.pos, node.end));
    ts.forEachChild(node, visit);
  };
  visit(source);
  textsOf.set(file, texts);
  return testText(file, title);
}

/** As the whole of a string: in quotes of any kind, or as the beginning of a template that goes on. */
function holdsTitle(text: string, title: string): boolean {
  const escaped = title.replaceAll("\\", "\\\\");
  return [`"${escaped.replaceAll('"', '\\"')}"`, `'${escaped}'`, `\`${escaped}\``, `\`${escaped}\${`].some((one) =>
    text.includes(one),
  );
}
