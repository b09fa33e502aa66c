// Whatever is searched for is data: the Big List of Naughty Strings and words that SQL and full-text queries are made of, asked
// of a memory with rows of two owners. No question fails, and none finds what its scope does not admit.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sqliteMemory } from "../../../src/adapters/sqlite/memory.ts";
import { openMemory } from "../../../src/adapters/sqlite/memory-file.ts";
import { DEFAULT_LIMITS, openSearch } from "../../../src/adapters/sqlite/search-memory.ts";
import { memoryRecord, SHOP, SPACE, scopeOf, vectorAt } from "../contracts/memory.ts";

const LIST = resolve(process.cwd(), "../shared/bad-inputs/naughty-strings/blns.json");
if (!existsSync(LIST)) console.warn(`skipped: the Big List of Naughty Strings is not there (${LIST})`);
const naughty = existsSync(LIST) ? (JSON.parse(readFileSync(LIST, "utf8")) as string[]) : [];

/** What full-text queries and SQL are made of, in the order in which it could do harm. */
const SYNTAX = [
  ...[
    "*",
    '"',
    '""',
    '"a',
    "a*",
    "^a",
    "-a",
    "+a",
    "a NEAR b",
    "NEAR(a b, 5)",
    "a AND",
    "OR",
    "NOT a",
    "text:a",
    "{text path}: a",
  ],
  ...[
    "'",
    "';--",
    "' OR 1=1 --",
    "'); DELETE FROM records; --",
    '" OR "1"="1',
    "?1",
    ":scope",
    "@repo",
    "$1",
    "\u0000",
    "a\u0000b",
  ],
  ...["(".repeat(2_000), '"'.repeat(2_001), "a ".repeat(20_000), "\ud800", "💥".repeat(500)],
];
const REPOS = [SHOP, "github.com/43"];

let folder: string;
let db: ReturnType<typeof openMemory>;
const theirs = new Set<string>();
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kodiai-naughty-"));
  db = openMemory(join(folder, "memory.db"));
  const texts = [...naughty, ...SYNTAX, "an ordinary remark about a table"].filter((text) => text.trim() !== "");
  const rows = REPOS.flatMap((repo, owner) =>
    texts.map((text, at) => ({
      record: memoryRecord({ repo, ownerId: owner, text, path: `src/${text.slice(0, 40)}` }),
      vector: vectorAt(at % 64),
    })),
  );
  for (const { record } of rows) if (record.repo !== SHOP) theirs.add(record.id);
  expect((await sqliteMemory(db).remember(rows, SPACE)).refused).toEqual([]);
});
afterAll(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

test("no string is a query of its own, and none finds a row of somebody else", () => {
  const search = openSearch(join(folder, "memory.db"), DEFAULT_LIMITS);
  try {
    const count = () => db.prepare("SELECT count(*) FROM records").pluck().get();
    const rows = count();
    let found = 0;
    for (const text of [...naughty, ...SYNTAX]) {
      const filters = [{}, { paths: [text] }, { languages: [text], chunkTypes: [text] }];
      const hits = filters.flatMap((filter) => search.matching(scopeOf(), text, 10, filter));
      expect(hits.filter(({ id }) => theirs.has(id))).toEqual([]);
      expect(ofRepository(text, () => search.records(scopeOf({ repo: text }), [...theirs]))).toEqual([]);
      found += hits.length;
    }
    expect(found).toBeGreaterThan(naughty.length);
    expect(count()).toBe(rows);
    expect(db.pragma("quick_check", { simple: true })).toBe("ok");
  } finally {
    search.close();
  }
});

/** What is no repository's key is refused by name; some strings look like one, and nobody's is. */
function ofRepository<T>(text: string, ask: () => readonly T[]): readonly T[] {
  try {
    return ask();
  } catch (error) {
    expect(error).toEqual(new RangeError(`not a repository key: ${JSON.stringify(text)}`));
    return [];
  }
}
