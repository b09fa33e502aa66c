// What is kept about one person, in the files of a data folder and in a PostgreSQL, through the
// ports of the command line.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { mentions, withoutMentions } from "../../../src/adapters/person-mentions.ts";
import { openPostgres } from "../../../src/store/postgres.ts";
import { backupPorts, personPorts } from "../../../src/wire/cli/store.ts";
import { openStore, type Store } from "../../../src/wire/store.ts";
import { memoryRecord, SHOP, SPACE, scopeOf } from "../../adapters/contracts/memory.ts";
import { fillWithPerson, LOGIN, personContract, tracesIn } from "../../adapters/contracts/person-stores.ts";
import { testDatabase } from "../../postgres.ts";

const closing: (() => unknown)[] = [];
let root: string;
let home: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "kodiai-person-"));
  home = join(root, "home");
  // Of the person who runs the tests, if they have one.
  vi.stubEnv("DATABASE_URL", "");
  closing.push(() => rmSync(root, { recursive: true }));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  vi.unstubAllEnvs();
});

const bytes = (folder = home) =>
  readdirSync(folder)
    .filter((name) => /\.db/.test(name))
    .map((name) => readFileSync(join(folder, name), "latin1"))
    .join("\n");

/** What looks after the store at a place; closed after the test. */
async function stores(place: string) {
  const ports = await personPorts(place);
  closing.push(() => ports.close());
  return ports;
}

personContract("a data folder", async () => {
  await fillWithPerson(await openStore(home));
  const person = await stores(home);
  const store = await openStore(home, { isCommand: true });
  closing.push(() => store.close());
  return { stores: person, store, everything: () => bytes() };
});

const first = await testDatabase();
describe.skipIf(first === null)("on PostgreSQL", () => {
  personContract("a PostgreSQL", async () => {
    const given = await testDatabase();
    if (given === null) throw new Error("there is no PostgreSQL");
    closing.push(() => given.drop());
    await fillWithPerson(await openStore(given.url));
    const person = await stores(given.url);
    const store = await openStore(given.url, { isCommand: true });
    closing.push(() => store.close());
    const db = openPostgres(given.url);
    closing.push(() => db.close());
    const everything = async () => {
      const tables = await db.all<{ name: string }>(
        "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'",
      );
      let all = "";
      for (const { name } of tables) {
        const rows = await db.all<{ row: string }>(`SELECT row_to_json(t)::text AS row FROM ${name} AS t`);
        all += rows.map(({ row }) => row).join("\n");
      }
      return all;
    };
    return { stores: person, store, everything };
  });
});
await first?.drop();

test("where there is no store, nothing is looked up and no file is made", async () => {
  await expect(personPorts(home)).rejects.toThrow(/there is no store in/);
  expect(existsSync(home)).toBe(false);
});

test("a PostgreSQL is backed up by its own tools, and that is said", () => {
  expect(() => backupPorts("postgres://127.0.0.1:9/kodiai")).toThrow(/back it up and restore it with its own tools/);
});

test("who was erased does not come back with a backup that is older", async () => {
  await fillWithPerson(await openStore(home));
  const copy = join(root, "copy");
  await backupPorts(home).backUp(copy);
  const person = await personPorts(home);
  await person.erase({ login: LOGIN }, false);
  await person.close();
  const list = readFileSync(join(home, "forgotten.jsonl"), "latin1");
  expect(list.toLowerCase()).not.toContain("quokka");
  for (const name of readdirSync(home)) if (/\.db/.test(name)) rmSync(join(home, name));
  expect(tracesIn(bytes(copy)).length).toBeGreaterThan(0);
  await backupPorts(home).restore(copy);
  expect(existsSync(join(home, "memory.db"))).toBe(true);
  expect(tracesIn(bytes())).toEqual([]);
});

describe("a memory that named the person", () => {
  const FINDING = memoryRecord({ corpus: "finding", sourceId: "#7/fnd_0123456789ab", outcome: "posted" });
  let store: Store;
  beforeEach(async () => {
    store = await openStore(home, { isCommand: true });
    closing.push(() => store.close());
  });

  test("is anonymous in rejections of a finding and in kept code", async () => {
    await store.memory.remember([{ record: FINDING, vector: null }], SPACE);
    await store.evidence.keepFixes(SHOP, [
      { memoryId: FINDING.id, flaggedCode: "// ask @wren", fixedCode: "// asked @wrenly" },
    ]);
    const one = { reason: "as @wren said", url: "https://x.test", at: 5, isReaction: false, pull: null };
    const rejections = [
      { ...one, by: "Wren" },
      { ...one, by: "vera" },
    ];
    await store.evidence.decide(SHOP, [{ memoryId: FINDING.id, outcome: "declined", decided: null, rejections }]);
    const person = await stores(home);
    const named = (await person.rows({ login: "wren" })).filter(({ kept }) => kept === "memory.db/rejections");
    expect(named).toMatchObject([{ row: { by: "Wren" } }]);
    await person.erase({ login: "wren" }, false);
    expect(await person.rows({ login: "wren" })).toEqual([]);
    const rows = (await person.rows({ login: "vera" })).filter(({ kept }) => kept === "memory.db/rejections");
    expect(rows).toMatchObject([{ row: { by: "vera", reason: "as @ghost said", url: "https://x.test" } }]);
    const ghosts = (await person.rows({ login: "ghost-0" })).filter(({ kept }) => kept === "memory.db/rejections");
    expect(ghosts).toMatchObject([{ row: { by: "ghost-0", reason: "as @ghost said", url: null } }]);
    expect(await store.recall.records(scopeOf(), [FINDING.id])).toMatchObject([
      { flaggedCode: "// ask @ghost", fixedCode: "// asked @wrenly" },
    ]);
  });

  test("is found by the words that it has now, and no more by the name, also where it was read before", async () => {
    const record = memoryRecord(
      { text: "@wren77canary retries the handshake", replies: [], tags: [] },
      { author: "wren77canary" },
    );
    await store.memory.remember([{ record, vector: null }], SPACE);
    const asked = async (text: string) => (await store.recall.matching(scopeOf(), [text], 5, {})).flat().length;
    expect([await asked("wren77canary"), await asked("handshake")]).toEqual([1, 1]);
    await (await stores(home)).erase({ login: "wren77canary" }, false);
    expect([await asked("wren77canary"), await asked("handshake"), await asked("ghost")]).toEqual([0, 1, 1]);
  });
});

test("a name is removed as a whole word in every place, and nothing else changes", async () => {
  expect(withoutMentions("@Wren, @wren's and @wren-2; wren", "wren")).toBe("@ghost, @ghost's and @wren-2; wren");
  expect(withoutMentions('{"by":"wren","author":"wren","owner":"wren"}', "Wren")).toBe(
    '{"by":"ghost","author":"ghost","owner":"wren"}',
  );
  fc.assert(
    fc.property(fc.string(), fc.constantFrom("", "İ", "ß@wren", "𝒲@WREN"), fc.string(), (before, odd, after) => {
      const text = `${before}${odd} @wren ${after}`;
      expect(mentions(withoutMentions(text, "wren"), "wren")).toBe(false);
    }),
    { numRuns: 50 },
  );
});
