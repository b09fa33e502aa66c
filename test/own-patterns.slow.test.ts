// Our own regular expressions against texts made to slow each of them: pieces of the pattern
// itself, over and over.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createContext, Script } from "node:vm";
import ts from "typescript";
import { expect, test } from "vitest";
import { growthOf, MOST_GROWTH } from "./growth/growth.ts";

const LENGTH = 20_000;
/**
 * A pattern that is linear reads the text in some milliseconds; one that backtracks over pairs
 * needs hundreds. Of one that takes longer the growth is measured, so that a slow machine decides
 * nothing.
 */
const LIMIT_MS = 100;
/** By the clock: a linear pattern is done by then on any machine. */
const GIVEN_UP_MS = 10_000;

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

/** @throws when it is given up */
function tryOn(text: string): void {
  context.text = text;
  tryOnce.runInContext(context, { timeout: GIVEN_UP_MS });
}

/** Whether it takes long, and more than twice as long on twice the text. */
async function isSlow(sized: (length: number) => string): Promise<boolean> {
  try {
    const started = process.cpuUsage();
    tryOn(sized(LENGTH));
    if (process.cpuUsage(started).user / 1_000 <= LIMIT_MS) return false;
    const { ratio } = await growthOf((length) => tryOn.bind(null, sized(length)), 64, LENGTH);
    return ratio > MOST_GROWTH;
  } catch {
    return true;
  }
}

/** The text that keeps the pattern busy too long, or null. */
async function slowText(own: Own): Promise<string | null> {
  context.pattern = new RegExp(own.source, own.flags);
  for (const pump of pumps(own)) {
    for (const [before, after] of [
      ["", "\u0001"],
      ["\u0001", "\n\u0001"],
      [own.source.match(/^[a-z]{2,9}/i)?.[0] ?? "x", "!"],
    ] as const) {
      const sized = (length: number) => before + pump.repeat(Math.ceil(length / pump.length)) + after;
      if (await isSlow(sized)) return JSON.stringify(pump);
    }
  }
  return null;
}

test.each([
  ["(?:a+)+b", "by each way to divide the text"],
  ["a+a+b", "over pairs"],
])("a pattern that backtracks is seen: /%s/, %s", async (source) => {
  expect(await slowText({ file: "", source, flags: "" })).toBe('"a"');
});

test("none of our own regular expressions can be kept busy by a text", async () => {
  const all = ownPatterns();
  expect(all.length).toBeGreaterThan(500);
  for (const { applies } of SHORT_TEXTS) expect(all.some(applies)).toBe(true);
  const judged = all.filter((own) => !SHORT_TEXTS.some(({ applies }) => applies(own)));
  const slow: string[] = [];
  for (const own of judged) {
    const text = await slowText(own);
    if (text !== null) slow.push(`${own.file}: /${own.source.slice(0, 120)}/${own.flags} by ${text}`);
  }
  expect(slow).toEqual([]);
}, 3_600_000);
