// Our own regular expressions against texts made to slow each of them: pieces of the pattern
// itself, over and over.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createContext, Script } from "node:vm";
import ts from "typescript";
import { expect, test } from "vitest";

const LENGTH = 50_000;
/**
 * A pattern that is linear reads the text in some ten milliseconds; one that backtracks over pairs
 * needs seconds. Whoever takes longer is asked how its time grows, so that a slow machine decides
 * nothing.
 */
const LIMIT_MS = 1_000;
const GIVEN_UP_MS = 10_000;
/** Enough to be measured. */
const MEASURED_MS = 20;
/** Of the time at twice the length: 2 for a linear pattern, 4 for one that goes over pairs. */
const MOST_GROWTH = 2.9;

/** Patterns whose text is never long, each with its reason. */
const SHORT_TEXTS: readonly { readonly reason: string; readonly applies: (own: Own) => boolean }[] = [
  { reason: "addresses that the operator writes", applies: ({ source }) => source === String.raw`\/+$` },
  {
    reason: "reads the first 200 characters of a line",
    applies: ({ file, source }) =>
      file === "adapters/rules/line/secrets.ts" && source.startsWith("^(?:export )?[A-Z_]*"),
  },
];

interface Own {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

/** Every regular expression that stands in the source as such. */
function ownPatterns(): Own[] {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  return files.flatMap((name) => {
    const text = readFileSync(join("src", name), "utf8");
    const found: Own[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf("/");
        found.push({ file: name, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
      }
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(name, text, ts.ScriptTarget.Latest));
    return found;
  });
}

const GENERAL = [
  " ",
  "a",
  "0",
  "A",
  "-",
  "_",
  ".",
  "/",
  "<",
  "[",
  "(",
  '"',
  "'",
  "\\",
  "\n",
  "\t",
  "=",
  "#",
  "@",
  ":",
  "`",
  "*",
  "|",
].concat(["a ", " \n", "a.", "a/", "a-", "a_", "a,", "a=", "a:", "0.", "# ", "- ", "[](", "<!--", "&#", "aA0 "]);

/**
 * What may repeat in a text that slows the pattern: general pieces, and words and signs of its own.
 */
function pumps({ source }: Own): readonly string[] {
  const plain = source.replace(/\\[bBdDwWsSpPuUx]\{?[^}]{0,30}\}?|\\|\(\?[:=!<]*/g, " ");
  const words = plain.match(/[A-Za-z0-9_]{2,20}|[^\s\w()[\]{}?*+|^$]{1,4}/g) ?? [];
  return [...new Set([...GENERAL, ...words.slice(0, 12), ...words.slice(0, 6).map((word) => `${word} `)])];
}

const context = createContext({ text: "", pattern: /x/ });
const tryOnce = new Script("pattern.lastIndex = 0; pattern.test(text)");

/** Milliseconds of the processor; null when it is given up. */
function timeOf(text: string): number | null {
  context.text = text;
  const started = process.cpuUsage();
  try {
    tryOnce.runInContext(context, { timeout: GIVEN_UP_MS });
  } catch {
    return null;
  }
  return process.cpuUsage(started).user / 1_000;
}

/** Whether twice the text takes more than twice the time, at the first length that can be measured. */
function growsTooFast(sized: (length: number) => string): boolean {
  for (let length = 16; length < LENGTH; length *= 2) {
    const time = timeOf(sized(length));
    if (time === null) return true;
    if (time < MEASURED_MS) continue;
    const ratios = [1, 2, 3].map(() => {
      const [once, twice] = [timeOf(sized(length)), timeOf(sized(2 * length))];
      return once === null || twice === null ? Number.POSITIVE_INFINITY : twice / once;
    });
    return Math.min(...ratios) > MOST_GROWTH;
  }
  return false;
}

/** The text that keeps the pattern busy too long, or null. */
function slowText(own: Own): string | null {
  context.pattern = new RegExp(own.source, own.flags);
  for (const pump of pumps(own)) {
    for (const [before, after] of [
      ["", "\u0001"],
      ["\u0001", "\n\u0001"],
      [own.source.match(/^[a-z]{2,9}/i)?.[0] ?? "x", "!"],
    ] as const) {
      const sized = (length: number) => before + pump.repeat(Math.ceil(length / pump.length)) + after;
      const time = timeOf(sized(LENGTH));
      if ((time === null || time > LIMIT_MS) && growsTooFast(sized)) return JSON.stringify(pump);
    }
  }
  return null;
}

test.each([
  ["(?:a+)+b", "by each way to divide the text"],
  ["a+a+b", "over pairs"],
])("a pattern that backtracks is seen: /%s/, %s", (source) => {
  expect(slowText({ file: "", source, flags: "" })).toBe('"a"');
});

test("none of our own regular expressions can be kept busy by a text", () => {
  const all = ownPatterns();
  expect(all.length).toBeGreaterThan(500);
  for (const { applies } of SHORT_TEXTS) expect(all.some(applies)).toBe(true);
  const judged = all.filter((own) => !SHORT_TEXTS.some(({ applies }) => applies(own)));
  const slow = judged.flatMap((own) => {
    const text = slowText(own);
    return text === null ? [] : [`${own.file}: /${own.source.slice(0, 120)}/${own.flags} by ${text}`];
  });
  expect(slow).toEqual([]);
}, 1_200_000);
