// Whatever is searched for is data: the Big List of Naughty Strings and words that SQL and
// full-text queries are made of, asked of a memory with rows of two owners. No question fails, and
// none finds what its scope does not admit.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { storedRecall } from "../../../src/store/memory/recall.ts";
import { storedMemory } from "../../../src/store/memory/stored-memory.ts";
import type { Database } from "../../../src/store/sql.ts";
import { memoryRecord, SHOP, SPACE, scopeOf, vectorAt } from "../../adapters/contracts/memory.ts";
import { postgresTestDatabase, sqliteTestDatabase } from "../databases.ts";

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

/**
 * What is no repository's key is refused by name; some strings look like one, and it is nobody's.
 */
async function ofRepository<T>(text: string, ask: () => Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await ask();
  } catch (error) {
    expect(error).toEqual(new RangeError(`not a repository key: ${JSON.stringify(text)}`));
    return [];
  }
}

for (const [name, given] of [
  ["SQLite", await sqliteTestDatabase()],
  ["PostgreSQL", await postgresTestDatabase()],
] as const) {
  describe.skipIf(given === null)(name, () => {
    const db = given?.db as Database;
    const theirs = new Set<string>();
    beforeAll(async () => {
      const texts = [...naughty, ...SYNTAX, "an ordinary remark about a table"].filter((text) => text.trim() !== "");
      const rows = REPOS.flatMap((repo, owner) =>
        texts.map((text, at) => ({
          record: memoryRecord({ repo, ownerId: owner, text, path: `src/${text.slice(0, 40)}` }),
          vector: vectorAt(at % 64),
        })),
      );
      for (const { record } of rows) if (record.repo !== SHOP) theirs.add(record.id);
      expect((await storedMemory(db, () => Promise.resolve()).remember(rows, SPACE)).refused).toEqual([]);
    });
    afterAll(() => given?.close());

    test("no string is a query of its own, and none finds another owner's row [T27]", async () => {
      const recall = storedRecall(db, null);
      const count = () => db.one("SELECT count(*) AS n FROM records");
      const rows = await count();
      const all = [...naughty, ...SYNTAX];
      let found = 0;
      const check = (hits: readonly { readonly id: string }[]) => {
        expect(hits.filter(({ id }) => theirs.has(id))).toEqual([]);
        found += hits.length;
      };
      for (const hits of await recall.matching(scopeOf(), all, 10, {})) check(hits);
      for (const text of all) {
        for (const filter of [{ paths: [text] }, { languages: [text], chunkTypes: [text] }]) {
          check((await recall.matching(scopeOf(), [text], 10, filter)).flat());
          check((await recall.nearest(scopeOf(), [vectorAt(0)], SPACE, 10, filter)).flat());
        }
        expect(await ofRepository(text, () => recall.records(scopeOf({ repo: text }), [...theirs]))).toEqual([]);
      }
      expect(found).toBeGreaterThan(naughty.length);
      expect(await count()).toEqual(rows);
      if (db.dialect.name === "sqlite") expect(await db.one("PRAGMA quick_check")).toEqual({ quick_check: "ok" });
    });
  });
}
