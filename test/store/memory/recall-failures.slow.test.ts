// What search does when something is wrong: it answers with what is left, says what is missing, and
// ends in time.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { memorySearch, ROWS_IN_DATABASE, type SearchSettings } from "../../../src/search/memory-search.ts";
import { usearchExact } from "../../../src/search/vector-index.ts";
import { openMemoryFile } from "../../../src/store/memory/memory-file.ts";
import { storedRows } from "../../../src/store/memory/search-rows.ts";
import { storedMemory } from "../../../src/store/memory/stored-memory.ts";
import { openSqlite } from "../../../src/store/sqlite.ts";
import { memoryRecord, SHOP, SPACE, scopeOf, vectorAt } from "../../adapters/contracts/memory.ts";

const closing: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function opened() {
  const folder = mkdtempSync(join(tmpdir(), "kodiai-troubles-"));
  closing.push(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "memory.db");
  const db = await openMemoryFile(path);
  db.connection.pragma("synchronous = OFF");
  closing.push(() => db.close());
  return { path, db, memory: storedMemory(db, () => Promise.resolve()) };
}

/** A search over the file that keeps what it reported, `PART: REASON`. */
function searching(path: string, settings: Partial<SearchSettings> = {}) {
  const reported: string[] = [];
  const db = openSqlite(path, { now: Date.now, isReader: true, vectors: "installed" });
  closing.push(() => db.close());
  const limits = { memoryBytes: 256e6, rowsInDatabase: ROWS_IN_DATABASE, exact: usearchExact(), ...settings };
  const search = memorySearch(storedRows(db), limits);
  const report = (part: string, reason: string) => void reported.push(`${part}: ${reason}`);
  return {
    search,
    reported,
    matching: async (text: string, k = 30) => (await search.matching(scopeOf(), [text], k, {}, report)).flat(),
    nearest: async (axis: number, k = 10) =>
      (await search.nearest(scopeOf(), [vectorAt(axis)], SPACE, k, {}, report)).flat(),
  };
}

const WORDS = ["handshake", "pool", "retry", "deadline", "cursor", "mutex", "socket", "cache"];

function many(count: number, repo = SHOP) {
  return Array.from({ length: count }, (_, n) => {
    const word = (step: number) => WORDS[(n * step + (n >> 3)) % WORDS.length];
    return memoryRecord({
      ...{ repo, sourceId: `many${n}`, text: `${word(1)} ${word(3)} number${n % 97}`, replies: [], tags: [] },
    });
  });
}

const withoutVectors = (records: ReturnType<typeof many>) => records.map((record) => ({ record, vector: null }));

describe("an index that is held in memory", () => {
  test("answers as a fresh one does, after any changes since it was read", async () => {
    const { path, memory } = await opened();
    const records = many(6_000);
    await memory.remember(withoutVectors(records), SPACE);
    const held = searching(path);
    expect(await held.matching("handshake retry")).toHaveLength(30);
    await memory.remember(
      withoutVectors(records.slice(0, 60).map((record) => ({ ...record, text: "mutex alone" }))),
      SPACE,
    );
    await memory.remember(
      withoutVectors(records.slice(4_000, 4_040).map((record) => ({ ...record, text: "pool alone", stale: true }))),
      SPACE,
    );
    await memory.forget(
      SHOP,
      records.slice(1_990, 2_020).map(({ id }) => id),
    );
    const fresh = searching(path);
    for (const text of ["handshake retry", "mutex alone", "pool alone number5", "number96 cursor"]) {
      const hits = await held.matching(text);
      expect(hits.length).toBeGreaterThan(0);
      expect(hits).toEqual(await fresh.matching(text));
    }
    expect([...held.reported, ...fresh.reported]).toEqual([]);
  });

  test("of which not all fits searches the newest memories, and says how many were left out", async () => {
    const { path, memory } = await opened();
    const records = many(40);
    await memory.remember(withoutVectors(records.map((record) => ({ ...record, text: "handshake" }))), SPACE);
    // A row counts as 1,700 bytes.
    const { matching, reported } = searching(path, { memoryBytes: 10 * 1_700 });
    const hits = await matching("handshake", 100);
    expect(hits.map(({ id }) => id).sort()).toEqual(
      records
        .slice(-10)
        .map(({ id }) => id)
        .sort(),
    );
    expect(reported).toEqual(["memory-bound: the newest 10 of 40 memories were searched; more do not fit into memory"]);
  });
});

describe("vectors that cannot be compared", () => {
  test.each<[string, Partial<SearchSettings>]>([
    ["in the database", {}],
    ["in memory", { rowsInDatabase: 0 }],
  ])("damaged ones are passed over and counted, searching %s", async (_where, settings) => {
    const { path, db, memory } = await opened();
    await memory.remember(
      many(6).map((record, axis) => ({ record, vector: vectorAt(axis) })),
      SPACE,
    );
    await db.script("UPDATE vectors SET code = x'00' WHERE id <= 2");
    const short = searching(path, settings);
    expect(await short.nearest(0)).toHaveLength(4);
    expect(short.reported).toEqual([
      "damaged-vectors: the vectors of 2 memories are damaged and not compared; words still find them",
    ]);
    expect(await short.matching("handshake pool retry deadline cursor mutex number0 number1")).toHaveLength(6);
    await db.script(
      "UPDATE vectors SET code = zeroblob(64) WHERE id = 3; UPDATE vectors SET code = x'01' WHERE id = 4",
    );
    const flat = searching(path, settings);
    const hits = await flat.nearest(0);
    expect(hits.every(({ distance }) => Number.isFinite(distance))).toBe(true);
    expect(hits).toHaveLength(2);
    expect(flat.reported).toEqual([
      "damaged-vectors: the vectors of 4 memories are damaged and not compared; words still find them",
    ]);
  });

  test("those of another space are counted in what the scope admits, and nothing is said while there are none", async () => {
    const { path, memory } = await opened();
    const other = { model: SPACE.model, dimension: 128 };
    const [ours = memoryRecord(), old = memoryRecord()] = many(2);
    const elsewhere = memoryRecord({ repo: "github.com/7" });
    await memory.remember([{ record: ours, vector: vectorAt(0) }], SPACE);
    const { nearest, reported } = searching(path);
    await nearest(0);
    expect(reported).toEqual([]);
    for (const record of [old, elsewhere]) await memory.remember([{ record, vector: vectorAt(0, 0, 128) }], other);
    expect(await nearest(0)).toHaveLength(1);
    expect(reported).toEqual([
      `stale-vectors: 1 memory has a vector of another model (${SPACE.model}, 128 numbers), which is not compared; words find them until they are embedded again`,
    ]);
  });
});
