// What search does when something is wrong: it answers with what is left, says what is missing, and ends in time.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { sqliteMemory } from "../../../src/adapters/sqlite/memory.ts";
import { memoryFacts } from "../../../src/adapters/sqlite/memory-facts.ts";
import { openMemory } from "../../../src/adapters/sqlite/memory-file.ts";
import { type RecallSettings, sqliteRecall } from "../../../src/adapters/sqlite/recall.ts";
import { DEFAULT_LIMITS, openSearch, type SearchLimits } from "../../../src/adapters/sqlite/search-memory.ts";
import { memoryRecord, SHOP, SPACE, scopeOf, vectorAt } from "../contracts/memory.ts";

const closing: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function opened() {
  const folder = mkdtempSync(join(tmpdir(), "kodiai-troubles-"));
  closing.push(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "memory.db");
  const db = openMemory(path);
  db.pragma("synchronous = OFF");
  closing.push(() => void db.close());
  return { path, db, memory: sqliteMemory(db) };
}

/** A search over the file that keeps what it told, `PART: REASON`. */
function searching(path: string, limits: Partial<SearchLimits> = {}) {
  const told: string[] = [];
  const search = openSearch(
    path,
    { ...DEFAULT_LIMITS, ...limits },
    (part, reason) => void told.push(`${part}: ${reason}`),
  );
  closing.push(() => search.close());
  return { search, told };
}

function recalling(path: string, settings: Omit<RecallSettings, "path">) {
  const recall = sqliteRecall({ path, ...settings });
  closing.push(() => recall.close());
  return recall;
}

const WORDS = ["handshake", "pool", "retry", "deadline", "cursor", "mutex", "socket", "cache"];

function many(count: number) {
  return Array.from({ length: count }, (_, n) => {
    const word = (step: number) => WORDS[(n * step + (n >> 3)) % WORDS.length];
    return memoryRecord({ sourceId: `many${n}`, text: `${word(1)} ${word(3)} number${n % 97}`, replies: [], tags: [] });
  });
}

describe("an index that is read in pieces", () => {
  test("says so until it is there, and then answers as one that was read at once, whatever changed meanwhile", async () => {
    const { path, memory } = opened();
    const records = many(4_500);
    const write = (rows: typeof records) =>
      memory.remember(
        rows.map((record) => ({ record, vector: null })),
        SPACE,
      );
    await write(records);
    const { search, told } = searching(path, { coldRows: 100 });
    const ask = (from: typeof search, text: string) => from.matching(scopeOf(), text, 30, {});
    expect(ask(search, "handshake retry")).toHaveLength(30);
    expect(told.splice(0)).toEqual([
      expect.stringMatching(/^keyword-search: the index is still being read into memory;/),
    ]);
    expect(search.readMore()).toBe(true);
    await write(records.slice(0, 60).map((record) => ({ ...record, text: "mutex alone" })));
    await write(records.slice(4_000, 4_040).map((record) => ({ ...record, text: "pool alone" })));
    await memory.forget(
      SHOP,
      records.slice(1_990, 2_020).map(({ id }) => id),
    );
    let pieces = 1;
    while (search.readMore()) pieces += 1;
    expect(pieces).toBeGreaterThan(1);
    expect(search.warmth()).toMatchObject({ waiting: 0, repositories: 1 });
    const { search: atOnce, told: nothing } = searching(path, { coldRows: Number.POSITIVE_INFINITY });
    for (const text of ["handshake retry", "mutex alone", "pool alone number5", "number96 cursor"]) {
      expect(ask(search, text)).toEqual(ask(atOnce, text));
    }
    expect([...told, ...nothing]).toEqual([]);
  });

  test("what changed since it was read is read with the answer, or said to be missing when it is much", async () => {
    const { path, memory } = opened();
    const records = many(2_000);
    const write = (rows: typeof records) =>
      memory.remember(
        rows.map((record) => ({ record, vector: null })),
        SPACE,
      );
    await write(records.slice(0, 1_000));
    const { search, told } = searching(path, { coldRows: 100 });
    search.warm();
    while (search.readMore());
    await write(records.slice(1_000, 1_100));
    expect(search.matching(scopeOf(), "handshake retry", 30, {})).toHaveLength(30);
    expect(told).toEqual([]);
    await write(records.slice(1_100));
    expect(search.matching(scopeOf(), "handshake retry", 30, {})).toHaveLength(30);
    expect(told).toEqual([expect.stringMatching(/^keyword-search: the index is still being read into memory;/)]);
  });

  test("warming up takes the repositories that were written to last, as many as fit into half of the room", async () => {
    const { path, memory } = opened();
    for (const repo of ["github.com/1", "github.com/2", "github.com/3"]) {
      const rows = many(10).map((record, n) => ({
        record: memoryRecord({ ...record, repo, id: `mem_${repo}${n}` }),
        vector: null,
      }));
      await memory.remember(rows, SPACE);
    }
    const { search } = searching(path, { memoryBytes: 2 * 25 * 900 });
    expect(search.warm().waiting).toBe(2);
    while (search.readMore());
    expect(search.warmth()).toMatchObject({ waiting: 0, repositories: 2, rows: 20 });
    const { search: roomy } = searching(path);
    expect(roomy.warm().waiting).toBe(3);
  });
});

describe("vectors that are read ahead", () => {
  const ROWS = 12_000;
  const VECTOR_BYTES = ROWS * SPACE.dimension;
  let folder = "";
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "kodiai-troubles-"));
    const db = openMemory(join(folder, "memory.db"));
    db.pragma("synchronous = OFF");
    const rows = many(ROWS).map((record, n) => ({ record, vector: vectorAt(n % SPACE.dimension, n) }));
    await sqliteMemory(db).remember(rows, SPACE);
    db.close();
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  /** Each search reads the file anew. */
  function warmed(limits: Partial<SearchLimits>) {
    const path = join(folder, "memory.db");
    const { search } = searching(path, { coldRows: 100, ...limits });
    const near = () => search.nearest(scopeOf(), vectorAt(3), SPACE, 20, {});
    const before = near();
    search.warm();
    let pieces = 1;
    while (search.readMore()) pieces += 1;
    return { search, before, near, pieces };
  }

  test("come in pieces after the words and give the answer that the file gives", () => {
    const inFile = warmed({ rowsInSql: Number.POSITIVE_INFINITY });
    const { search, before, near, pieces } = warmed({});
    // The first of three comes with the last words.
    expect(pieces).toBe(inFile.pieces + 2);
    expect(search.warmth().bytes).toBeGreaterThan(inFile.search.warmth().bytes + VECTOR_BYTES);
    expect([near(), before]).toEqual([inFile.near(), inFile.near()]);
  });

  test("are left in the file when they do not fit, and reading ahead ends all the same", () => {
    const roomy = warmed({});
    const { search, before, near } = warmed({ memoryBytes: ROWS * 1_150 });
    expect([near(), before]).toEqual([roomy.near(), roomy.near()]);
    while (search.readMore());
    expect(search.warmth()).toMatchObject({ waiting: 0, repositories: 1, rows: ROWS });
    expect(search.warmth().bytes).toBe(roomy.search.warmth().bytes - VECTOR_BYTES);
  });
});

describe("vectors that cannot be compared", () => {
  test.each<[string, Partial<SearchLimits>]>([
    ["in the file", {}],
    ["in memory", { rowsInSql: 0 }],
  ])("damaged ones are passed over and counted, searching %s", async (_where, limits) => {
    const { path, db, memory } = opened();
    const records = many(6);
    await memory.remember(
      records.map((record, axis) => ({ record, vector: vectorAt(axis) })),
      SPACE,
    );
    const near = ({ search }: ReturnType<typeof searching>) => search.nearest(scopeOf(), vectorAt(0), SPACE, 10, {});
    db.exec("UPDATE vec_bit SET b = x'00' WHERE id <= 2");
    const short = searching(path, limits);
    expect(near(short)).toHaveLength(4);
    expect(short.told).toEqual([
      "damaged-vectors: the vectors of 2 memories are damaged and not compared; words still find them",
    ]);
    db.exec("UPDATE vec_i8 SET v = zeroblob(64) WHERE id = 3; UPDATE vec_i8 SET v = x'01' WHERE id = 4");
    const flat = searching(path, limits);
    expect(near(flat).every(({ distance }) => Number.isFinite(distance))).toBe(true);
    expect(near(flat)).toHaveLength(2);
  });

  test("those of another space are counted in what the scope admits, and nothing is said while there are none", async () => {
    const { path, memory } = opened();
    const other = { model: SPACE.model, dimension: 128 };
    const [ours = memoryRecord(), old = memoryRecord()] = many(2);
    const elsewhere = memoryRecord({ repo: "github.com/7" });
    await memory.remember([{ record: ours, vector: vectorAt(0) }], SPACE);
    const before = searching(path);
    before.search.nearest(scopeOf(), vectorAt(0), SPACE, 10, {});
    expect(before.told).toEqual([]);
    for (const record of [old, elsewhere]) await memory.remember([{ record, vector: vectorAt(0, 0, 128) }], other);
    expect(before.search.nearest(scopeOf(), vectorAt(0), SPACE, 10, {})).toHaveLength(1);
    expect(before.told).toEqual([
      `stale-vectors: 1 memory has a vector of another model (${SPACE.model}, 128 numbers), which is not compared; words find them until they are embedded again`,
    ]);
    expect(memoryFacts(path)).toMatchObject({
      problems: [],
      repositories: 2,
      records: 3,
      spaces: [
        { ...other, vectors: 2 },
        { ...SPACE, vectors: 1 },
      ],
      sqliteVec: { version: expect.stringMatching(/^v\d/) },
    });
  });
});

describe("warming up", () => {
  test("is done when all is read: whoever asks then is told of nothing missing", async () => {
    const { path, memory } = opened();
    await memory.remember(
      many(4_500).map((record) => ({ record, vector: null })),
      SPACE,
    );
    const recall = recalling(path, { limits: { coldRows: 100 }, patience: { answerMs: null } });
    await recall.warm();
    expect(recall.warmth()).toMatchObject({ waiting: 0, repositories: 1, rows: 4_500 });
    const told: string[] = [];
    const hits = await recall.matching(scopeOf(), "handshake retry", 30, {}, (part) => void told.push(part));
    expect([hits.length, told]).toEqual([30, []]);
  });

  test("ends with the search, and with the reason when the memory cannot be opened", async () => {
    const { path, memory } = opened();
    await memory.remember(
      many(4_500).map((record) => ({ record, vector: null })),
      SPACE,
    );
    const closed = recalling(path, {});
    const warming = closed.warm();
    await closed.close();
    await expect(warming).resolves.toBeUndefined();
    await expect(recalling(`${path}.gone`, {}).warm()).rejects.toThrow(/is not there/);
  });
});

describe("a search thread", () => {
  const slow = new URL("../../fakes/slow-search.ts", import.meta.url);
  const crashing = new URL("../../fakes/crashing-search.ts", import.meta.url);

  test("that is behind is asked nothing more until it has answered, and then it is asked again", async () => {
    const { path } = opened();
    const recall = recalling(path, { program: slow, patience: { answerMs: 1_500 } });
    await expect.poll(() => recall.version(SHOP).catch(() => null), { timeout: 20_000 }).toBe(0);
    await expect(recall.matching(scopeOf(), "x", 5, {})).rejects.toThrow("timed out: no answer within 1500 ms");
    await expect(recall.version(SHOP)).rejects.toThrow("timed out: the search thread is still at an earlier question");
    await expect.poll(() => recall.version(SHOP).catch(() => null), { timeout: 20_000 }).toBe(0);
  });

  test("that is down costs no records: the other one has them all", async () => {
    const { path, memory } = opened();
    const records = many(120);
    await memory.remember(
      records.map((record) => ({ record, vector: null })),
      SPACE,
    );
    const recall = recalling(path, { program: new URL("../../fakes/half-search.ts", import.meta.url) });
    const ids = records.map(({ id }) => id);
    for (let times = 0; times < 4; times += 1)
      expect((await recall.records(scopeOf(), ids)).map(({ id }) => id)).toEqual(ids);
  });

  test("that is stuck is ended, and the next question starts another", async () => {
    const { path } = opened();
    const recall = recalling(path, { program: slow, patience: { answerMs: 1_000, stuckMs: 500, downMs: 100 } });
    await expect(recall.matching(scopeOf(), "for ever", 5, {})).rejects.toThrow("timed out");
    const patient = () => recall.version(SHOP).catch((error: Error) => error.message);
    await expect.poll(patient, { timeout: 20_000 }).toBe(0);
  });

  test("that ended twice stays down for a while, not for ever", async () => {
    const { path } = opened();
    const recall = recalling(path, { program: crashing, patience: { downMs: 500 } });
    for (let times = 0; times < 2; times += 1) await expect(recall.version("crash/1")).rejects.toThrow(/ended/);
    await expect(recall.version(SHOP)).rejects.toThrow(/stays down for a while/);
    await expect.poll(() => recall.version(SHOP).catch(() => null), { timeout: 20_000 }).toBe(7);
  });
});
