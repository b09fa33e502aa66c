// A store that was lived in, moved from SQLite to Postgres.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rotatedSize, rotateVector, turnBack } from "../../src/adapters/memory/rotate-vector.ts";
import { postgresMemory } from "../../src/adapters/postgres/memory.ts";
import { postgresConventionMarks } from "../../src/adapters/postgres/memory-figures.ts";
import { refuseHalfMoved } from "../../src/adapters/postgres/migrate.ts";
import { setBackReferences } from "../../src/adapters/postgres/move-indexes.ts";
import { MOVER, postgresMoveTarget } from "../../src/adapters/postgres/move-target.ts";
import { postgresRecall } from "../../src/adapters/postgres/recall.ts";
import { postgresRejections } from "../../src/adapters/postgres/rejections.ts";
import type { Postgres } from "../../src/adapters/postgres/sql.ts";
import { fillBits } from "../../src/adapters/postgres/vector-bits.ts";
import { LEXEMES } from "../../src/adapters/postgres/write-records.ts";
import { openDatabase } from "../../src/adapters/sqlite/database.ts";
import { sqliteEvidence } from "../../src/adapters/sqlite/evidence-shelf.ts";
import { sqliteMemory } from "../../src/adapters/sqlite/memory.ts";
import { sqliteConventionMarks } from "../../src/adapters/sqlite/memory-figures.ts";
import { openMemory } from "../../src/adapters/sqlite/memory-file.ts";
import { sqliteMoveSource } from "../../src/adapters/sqlite/move-source.ts";
import { QUEUE_MIGRATIONS } from "../../src/adapters/sqlite/queue-schema.ts";
import { sqliteRecall } from "../../src/adapters/sqlite/recall.ts";
import { sqliteRejections } from "../../src/adapters/sqlite/rejections.ts";
import { MOVED_TABLES } from "../../src/domain/moved-tables.ts";
import { StoreUnusable } from "../../src/domain/store-unusable.ts";
import { exportMemory } from "../../src/flows/export-memory.ts";
import { moveStore } from "../../src/flows/move-store.ts";
import type { Memory, Recall } from "../../src/ports/memory.ts";
import { memoryRecord, SHOP, SPACE, scopeOf, vectorAt } from "../adapters/contracts/memory.ts";
import { contractDatabase, emptied } from "../adapters/postgres/contract-database.ts";
import { serverUrl } from "../postgres.ts";

const db = await contractDatabase();
const isInProcess = process.env.KODIAI_TEST_POSTGRES === "pglite" || serverUrl() === null;
afterAll(() => db?.close());

const folder = mkdtempSync(join(tmpdir(), "kodiai-move-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** More than a page, and than what a table of words must have to be moved in two halves. */
const ROWS = 1_205;
/** Made anew: kept vectors of queries and answers of a model, running processes and their turns, what GitHub asked to wait for, a probe. */
const LEFT = ["embeddings", "instances", "turns", "installations", "probes", "replies", "bookings"];
const finding = memoryRecord({
  corpus: "finding",
  sourceId: "#7/fnd_0123456789ab",
  outcome: "posted",
  visibility: "public",
});
const repo = { host: "github.com", id: 42, ownerId: 9, owner: "acme", name: "shop", visibility: "private" } as const;
const quiet = () => {};
const words = MOVED_TABLES.filter(({ name }) => name === "words")[0] ?? { name: "", key: [], columns: {} };

/** More rows than a page, people's words with what no other database takes, and a job that was at work when the server ended. */
beforeAll(async () => {
  const memory = openMemory(join(folder, "memory.db"));
  const rows = Array.from({ length: ROWS }, (_, at) => ({
    record: memoryRecord({ sourceId: `m${at}`, text: `pool ${at} of “C++” is closed twice` }),
    vector: at % 10 === 0 ? null : vectorAt(at % 64, at / ROWS),
  }));
  await sqliteMemory(memory).remember([{ record: finding, vector: vectorAt(3) }, ...rows], SPACE);
  memory.prepare("UPDATE contents SET author = 'z' || char(0) || 'oe' WHERE id = 5").run();
  // As an older Kodiai kept them.
  const replies = JSON.stringify(['is "this" closed?\n\t“yes”', "\0\u001f\ud800", ""]);
  memory.prepare("UPDATE contents SET replies = ? WHERE id = 6").run(replies);
  const decided = { at: 5, by: "wren", reason: "by design", sha: null, weight: "reason" } as const;
  await sqliteEvidence(memory).decide(SHOP, [{ memoryId: finding.id, outcome: "declined", decided, against: [] }]);
  await sqliteRejections(memory).reject(SHOP, finding.id, {
    by: "wren",
    isWriter: true,
    reason: "no",
    url: null,
    at: 5,
  });
  await sqliteConventionMarks(memory).take(SHOP, finding.id, 6);
  memory.close();
  const queue = openDatabase(join(folder, "queue.db"), QUEUE_MIGRATIONS);
  const job = JSON.stringify({ kind: "review", key: "github.com/42#7", installationId: 7, number: 7, repo });
  const add = queue.prepare(
    "INSERT INTO jobs (key, lane, job, state, run_at, created_at) VALUES (?, 'review', ?, ?, 1, 1)",
  );
  for (const [key, state] of [
    ["a#1", "running"],
    ["a#1", "waiting"],
    ["a#2", "running"],
    ["a#3", "done"],
  ])
    add.run(key, job, state);
  const review = queue.prepare(
    "INSERT INTO reviews (key, head_sha, base_sha, review, written_at) VALUES (?, ?, 'b', '{}', ?)",
  );
  for (const at of [3, 2, 1]) review.run("github.com/42#7", `sha${at}`, at);
  queue.close();
});

async function exported(memory: Memory, recall: Recall): Promise<readonly string[]> {
  const wish = { repo, corpora: ["finding", "review_comment"], what: "records" } as const;
  const lines: string[] = [];
  for await (const line of exportMemory(wish, { memory, recall, space: SPACE })) lines.push(line);
  return lines;
}

async function moved(to: Postgres) {
  const source = sqliteMoveSource(folder);
  try {
    return await moveStore(source, postgresMoveTarget(to), quiet);
  } finally {
    source.close();
  }
}

test("a vector that is turned back is the one that was rotated, of any dimension", () => {
  fc.assert(
    fc.property(fc.array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 200 }), (values) => {
      const vector = Float32Array.from(values);
      const length = Math.hypot(...vector);
      fc.pre(length > 1e-3);
      const rotated = rotateVector(vector);
      expect(rotated).toHaveLength(rotatedSize(vector.length));
      for (const [at, value] of turnBack(rotated, vector.length).entries())
        expect(Math.abs(value - (vector[at] ?? 0) / length)).toBeLessThan(1e-5);
    }),
  );
});

describe.skipIf(db === null)("a store that is moved to Postgres", () => {
  if (db === null) return;
  const empty = async () => {
    await emptied(db);
    await db.run(`TRUNCATE ${MOVED_TABLES.map(({ name }) => name).join(", ")} CASCADE`);
    await db.run("DROP TABLE IF EXISTS store_move");
    const isAside = await db.one<{ aside: boolean }>("SELECT to_regclass('store_move_again') IS NOT NULL AS aside");
    if (isAside?.aside === true) await setBackReferences(db);
    await db.run("DROP TABLE IF EXISTS store_move_again");
  };
  /** Indexes and references: what a move takes away and gives back. */
  const kept = () =>
    db.all<{ def: string }>(
      `SELECT indexdef AS def FROM pg_indexes WHERE schemaname = current_schema()
       UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'f' ORDER BY 1`,
    );

  test("is the same, row for row; what is exported of both is byte for byte the same; what comes later is numbered after it", async () => {
    await empty();
    const keptBefore = await kept();
    const tables = await moved(db);
    expect(await kept()).toEqual(keptBefore);
    expect(keptBefore.length).toBeGreaterThan(30);
    expect(tables.map(({ table }) => table)).toEqual(MOVED_TABLES.map(({ name }) => name));
    const rows = new Map(tables.map(({ table, rows: count }) => [table, count]));
    expect(["records", "vectors", "vector_bits", "jobs", "reviews", "decided"].map((name) => rows.get(name))).toEqual([
      ...[ROWS + 1, 1_085, 1_085, 3, 3, 1],
    ]);
    const file = openMemory(join(folder, "memory.db"));
    const search = sqliteRecall({ path: join(folder, "memory.db") });
    const [memory, recall] = [postgresMemory(db), postgresRecall(db)];
    // The author whose name held U+0000 lost it on the way.
    const before = (await exported(sqliteMemory(file), search)).map((line) =>
      line.replace("z\\u0000oe", "zoe").replace("\\u0000\\u001f\\ud800", "\\u001f\ufffd"),
    );
    const after = await exported(memory, recall);
    expect(after.find((line, at) => line !== before[at])).toBe(before.find((line, at) => line !== after[at]));
    expect(after).toHaveLength(before.length);
    const near = async (of: Recall) =>
      (await of.nearest(scopeOf(), vectorAt(5, 0.4), SPACE, 10, {})).map(({ id }) => id);
    const words = async (of: Recall) => of.matching(scopeOf(), "which pool 17 is closed", 10, {});
    expect(new Set(await near(recall))).toEqual(new Set(await near(search)));
    expect(await words(recall)).toEqual(await words(search));
    expect(await postgresConventionMarks(db).taken(SHOP)).toEqual(new Map([[finding.id, 6]]));
    expect((await postgresRejections(db).rejected(SHOP))[0]?.each[0]?.reason).toBe("no");
    const version = await recall.version(SHOP);
    expect(version).toBe(await search.version(SHOP));
    await memory.remember([{ record: memoryRecord(), vector: vectorAt(1) }], SPACE);
    expect(await recall.version(SHOP)).toBeGreaterThan(version);
    expect(await db.all("SELECT head_sha FROM reviews ORDER BY written")).toEqual(
      [1, 2, 3].map((at) => ({ head_sha: `sha${at}` })),
    );
    expect(await db.all("SELECT key, state FROM jobs ORDER BY id")).toEqual([
      { key: "a#1", state: "waiting" },
      { key: "a#2", state: "waiting" },
      { key: "a#3", state: "done" },
    ]);
    await search.close();
    file.close();
  });

  test("has every table, but for those that are made anew", async () => {
    const rows = await db.all<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'schema_migrations'",
    );
    const known = [...MOVED_TABLES.map(({ name }) => name), ...LEFT];
    expect(
      rows
        .map(({ name }) => name)
        .filter((name) => !name.startsWith("store_move"))
        .sort(),
    ).toEqual(known.sort());
  });

  test("has sign bits and an index of words like those that are made of what is written here", async () => {
    await empty();
    await moved(db);
    const lexemes = await db.one(`SELECT count(*) AS n FROM words WHERE lexemes IS DISTINCT FROM ${LEXEMES}`);
    expect(lexemes).toEqual({ n: 0 });
    const found = async () => db.all<{ id: number; b: string }>("SELECT id, b::text FROM vector_bits ORDER BY id");
    const brought = await found();
    await db.run("DELETE FROM vector_bits");
    await fillBits(db, 1);
    const made = await found();
    expect(brought.map(({ id }) => id)).toEqual(made.map(({ id }) => id));
    // But for those of components that a byte says nothing of.
    for (const [at, { b }] of made.entries())
      expect([...b].filter((bit, place) => bit !== brought[at]?.b[place]).length).toBeLessThan(b.length / 10);
  });

  test("goes on where it was stopped, with rows as with indexes", async () => {
    await empty();
    const source = sqliteMoveSource(folder);
    const target = postgresMoveTarget(db);
    const half = (await source.middle(words))?.[0];
    const cut: typeof source.page = (table, range, most) =>
      table.name === "words" && range.after?.[0] === half
        ? Promise.reject(new Error("cut"))
        : source.page(table, range, most);
    const keptBefore = await kept();
    await expect(moveStore({ ...source, page: cut }, target, quiet)).rejects.toThrow("cut");
    await expect(refuseHalfMoved(db)).rejects.toThrow("Run `kodiai migrate` again");
    const unindexed: typeof target.index = (table) =>
      table.name === "words" ? Promise.reject(new Error("no space left")) : target.index(table);
    await expect(moveStore(source, { ...target, index: unindexed }, quiet)).rejects.toThrow("no space left");
    const told: string[] = [];
    const tables = await moveStore(source, target, (what, table, rows) => told.push(`${what} ${table} ${rows}`));
    expect(told).toEqual(expect.arrayContaining(["moved contents 0", "moved words 0", `verified words ${ROWS + 1}`]));
    expect(tables.find(({ table }) => table === "records")?.rows).toBe(ROWS + 1);
    expect(await kept()).toEqual(keptBefore);
    await refuseHalfMoved(db);
    source.close();
  });

  test.skipIf(isInProcess)("goes on after one that was killed while the database was at work for it", async () => {
    await empty();
    const source = sqliteMoveSource(folder);
    const target = postgresMoveTarget(db);
    await target.begin(source.mark());
    const left = db.transaction(async (sql) => {
      await sql.run("SELECT set_config('application_name', $1, true)", [MOVER]);
      await sql.run("INSERT INTO store_move (part) VALUES ('words')");
      await sql.run("SELECT pg_sleep(20)");
    });
    const ended = expect(left).rejects.toThrow("57P01");
    await new Promise((resolve) => setTimeout(resolve, 200));
    const tables = await moveStore(source, target, quiet);
    await ended;
    expect(tables.find(({ table }) => table === "words")?.rows).toBe(ROWS + 1);
    source.close();
  });

  test("is refused where there is a store already, where the source changed meanwhile, and where a row is not the same", async () => {
    await empty();
    const source = sqliteMoveSource(folder);
    const target = postgresMoveTarget(db);
    const put: typeof target.put = (table, page, part, at) => {
      // The last letter of a text.
      if (table.name === "contents") page.bytes[(page.starts[4] ?? 0) - 1] = 0x7a;
      return target.put(table, page, part, at);
    };
    await expect(moveStore(source, { ...target, put }, quiet)).rejects.toThrow("contents is not the same");
    const later = { ...source, mark: () => "another" };
    await expect(moveStore(later, target, quiet)).rejects.toBeInstanceOf(StoreUnusable);
    await db.run("UPDATE store_move SET mark = substr(mark, 3) WHERE part = ''");
    await expect(moveStore(source, target, quiet)).rejects.toThrow("another version of Kodiai");
    await db.run("DROP TABLE store_move");
    await expect(moveStore(source, target, quiet)).rejects.toThrow("holds a store already");
    source.close();
  });
});
