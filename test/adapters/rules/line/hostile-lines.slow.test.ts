// A line of a megabyte, made of whatever a rule looks for, must not hold up a review.
import { expect, test } from "vitest";
import { fromExample, LINE_RULES } from "./inspected.ts";

const MEGABYTE = 1_000_000;
const PIECES = [
  "a",
  " ",
  "\t",
  '"',
  "'",
  "$",
  "${",
  "${{ ",
  "(",
  "[",
  "{",
  "<",
  "-- ",
  "/*",
  "--",
  "$$",
  "curl -",
  "curl a ",
  "wget ",
  "chmod -R ",
  "uses: a/b@",
  "github.event.",
  "password: ",
  "http://a",
  "#nosec ",
  "DELETE FROM a ",
  "UPDATE a SET b,",
  "ALTER TABLE a ADD COLUMN ",
  "\u200B",
  "\u202E",
  "\u0430b",
  "p\u0430",
  "👨\u200D",
  "\u{E0041}",
  "<<<<<<<",
  "=======",
  '"a":',
  "- ",
  "a: ",
  "session.cookie",
  "token = ",
  "origin: ",
  "createCipheriv('",
  "algorithms: [",
  "XMLParser(",
  "md5(",
  "it.only(",
  "/Users/",
];
const PATHS = ["src/a.ts", ".github/workflows/a.yml", "db/migrations/1.sql", "package.json", "infra/main.tf"];

/**
 * Rules that take more processor time than the watchdog grants: ten times what the slowest was
 * measured to need (0.5 s).
 */
async function slowRules(path: string, code: string): Promise<readonly string[]> {
  const file = fromExample({ path, code });
  const slow: string[] = [];
  for (const rule of LINE_RULES) {
    const before = process.cpuUsage();
    await rule.check(file);
    const { user, system } = process.cpuUsage(before);
    if (user + system > 5_000_000) slow.push(rule.id);
  }
  return slow;
}

test.each(PIECES)("every rule reads a megabyte of %j in a moment", async (piece) => {
  expect(await slowRules("scripts/a.sh", piece.repeat(Math.ceil(MEGABYTE / piece.length)))).toEqual([]);
});

// The longest lines that rules about code still read.
test.each(PATHS)("every rule reads long hostile lines of %s in a moment", async (path) => {
  for (const piece of PIECES) {
    const line = piece.repeat(Math.ceil(3900 / piece.length)).slice(0, 3900);
    expect(await slowRules(path, Array.from({ length: 10 }, () => line).join("\n")), piece).toEqual([]);
  }
});
