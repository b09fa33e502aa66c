// What is kept about one person, in the files of a data folder.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { mentions, withoutMentions } from "../../../src/adapters/person-mentions.ts";
import { backUpStore } from "../../../src/adapters/sqlite/backup.ts";
import { sqlitePersonBooks } from "../../../src/adapters/sqlite/person-books.ts";
import { sqliteRecall } from "../../../src/adapters/sqlite/recall.ts";
import { restoreStore } from "../../../src/adapters/sqlite/restore.ts";
import { openStore } from "../../../src/wire/store.ts";
import { fillWithPerson, LOGIN, personContract, tracesIn } from "../contracts/person-books.ts";

let root: string;
let home: string;
let close = async () => {};
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "kodiai-person-"));
  home = join(root, "home");
  await fillWithPerson(openStore(home));
});
afterEach(async () => {
  await close();
  close = async () => {};
  rmSync(root, { recursive: true });
});

const bytes = (folder = home) =>
  readdirSync(folder)
    .filter((name) => /\.db/.test(name))
    .map((name) => readFileSync(join(folder, name), "latin1"))
    .join("\n");

personContract("the SQLite store", async () => {
  const books = sqlitePersonBooks(home, Date.now);
  // Opened by the first search: while somebody reads, old bytes stay.
  const recall = sqliteRecall({ path: join(home, "memory.db") });
  close = async () => {
    books.close();
    await recall.close();
  };
  return { books, store: { recall }, everything: () => bytes() };
});

test("who was erased does not come back with a backup that is older", async () => {
  const copy = join(root, "copy");
  await backUpStore(home, copy, 1_000);
  const books = sqlitePersonBooks(home, Date.now);
  await books.erase({ login: LOGIN }, false);
  books.close();
  const list = readFileSync(join(home, "forgotten.jsonl"), "latin1");
  expect(list.toLowerCase()).not.toContain("quokka");
  for (const name of readdirSync(home)) if (/\.db/.test(name)) rmSync(join(home, name));
  expect(tracesIn(bytes(copy)).length).toBeGreaterThan(0);
  await restoreStore(copy, home, Date.now());
  expect(existsSync(join(home, "memory.db"))).toBe(true);
  expect(tracesIn(bytes())).toEqual([]);
});

test("a name is taken out wherever it stands alone, and nothing else changes", async () => {
  expect(withoutMentions("@Wren, @wren's and @wren-2; wren", "wren")).toBe("@ghost, @ghost's and @wren-2; wren");
  expect(withoutMentions('{"by":"wren","owner":"wren"}', "Wren")).toBe('{"by":"ghost","owner":"wren"}');
  fc.assert(
    fc.property(fc.string(), fc.constantFrom("", "İ", "ß@wren", "𝒲@WREN"), fc.string(), (before, odd, after) => {
      const text = `${before}${odd} @wren ${after}`;
      expect(mentions(withoutMentions(text, "wren"), "wren")).toBe(false);
    }),
    { numRuns: 50 },
  );
});
