// Which tests show a row of the feature table, prove a promise or a defence: their titles end with
// its id, `[004-12]`, `[R1]`, `[T25]`. The ids are those of docs/internals/features.md and
// guarantees.md.
//
//   npm run tags               every id with its tests, as Markdown
//   npm run tags -- --missing  only what is wrong: ids without a test, tags without an id
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Row {
  readonly id: string;
  readonly what: string;
  /**
   * Where the row holds: `default`, keys and variables, or `retired: WHY`. Promises and threats
   * hold by default.
   */
  readonly holds: string;
}

interface TaggedTest {
  readonly file: string;
  readonly title: string;
}

/** All ids of the two pages, in their order. */
export function readRows(features: string, guarantees: string): readonly Row[] {
  const rows = [...features.matchAll(/^\| (00\d-\d\d) \| (.+?) \| (.+) \|$/gm)];
  const promises = [...guarantees.matchAll(/^### ([RT]\d+) (.+)$/gm)];
  return [...rows, ...promises].map(([, id = "", what = "", holds = "default"]) => ({
    id,
    what: what.trim(),
    holds: holds.trim(),
  }));
}

/**
 * Tags stand at the end of a string: the title of a test, or the name of a case that becomes one.
 */
const TAGGED = /(["'`])((?:(?!\1).)*?)((?: ?\[(?:00\d-\d\d|[RT]\d+)\])+)\1/g;

/** id → the tests whose titles carry it. */
export function taggedTests(files: ReadonlyMap<string, string>): ReadonlyMap<string, readonly TaggedTest[]> {
  const tagged = [...files].flatMap(([file, text]) =>
    [...text.matchAll(TAGGED)].flatMap(([, , title = "", tags = ""]) =>
      [...tags.matchAll(/\[([^\]]+)\]/g)].map(([, id = ""]) => ({ id, file, title })),
    ),
  );
  return Map.groupBy(tagged, ({ id }) => id);
}

/**
 * One line for each id that no test shows (retired rows need none), and for each tag that no page
 * knows.
 */
export function missingTests(rows: readonly Row[], tests: ReturnType<typeof taggedTests>): readonly string[] {
  const known = new Set(rows.map(({ id }) => id));
  const untested = rows.filter(({ id, holds }) => !tests.has(id) && !holds.startsWith("retired:"));
  const unknown = [...tests].filter(([id]) => !known.has(id));
  return [
    ...untested.map(({ id, what }) => `${id} has no test: ${what}`),
    ...unknown.map(([id, [test]]) => `${id} is on no page: ${test?.file}: ${test?.title}`),
  ];
}

/** Every TypeScript file below test/. */
export function testFiles(): ReadonlyMap<string, string> {
  const names = readdirSync("test", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  return new Map(names.toSorted().map((name) => [join("test", name), readFileSync(join("test", name), "utf8")]));
}

function table(rows: readonly Row[], tests: ReturnType<typeof taggedTests>): string {
  const lines = rows.map(({ id, what, holds }) => {
    const shown = (tests.get(id) ?? []).map(({ file, title }) => `${file}: ${title}`).join("<br>");
    return `| ${id} | ${what} | ${holds} | ${shown.replaceAll("|", "\\|")} |`;
  });
  return ["| id | what | holds | tests |", "| --- | --- | --- | --- |", ...lines].join("\n");
}

if (import.meta.main) {
  const [features, guarantees] = ["features", "guarantees"].map((name) =>
    readFileSync(`docs/internals/${name}.md`, "utf8"),
  );
  const rows = readRows(features ?? "", guarantees ?? "");
  const tests = taggedTests(testFiles());
  const missing = missingTests(rows, tests);
  if (!process.argv.includes("--missing")) console.log(table(rows, tests));
  for (const line of missing) console.error(line);
  process.exitCode = missing.length > 0 ? 3 : 0;
}
