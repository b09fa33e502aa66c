import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Database } from "../../../src/adapters/sqlite/database.ts";
import { sqliteMemory } from "../../../src/adapters/sqlite/memory.ts";
import { memoryProblems, openMemory } from "../../../src/adapters/sqlite/memory-file.ts";
import { sqliteRecall } from "../../../src/adapters/sqlite/recall.ts";
import type { SearchLimits } from "../../../src/adapters/sqlite/search-memory.ts";
import { memoryContract, memoryRecord, type OpenMemory, SHOP, SPACE, scopeOf, vectorAt } from "../contracts/memory.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), "kodiai-memory-"));
  folders.push(folder);
  return join(folder, "memory.db");
}

function open(
  limits: Partial<SearchLimits> = {},
): OpenMemory & { readonly path: string; readonly db: Database.Database } {
  const path = file();
  const db = openMemory(path);
  const recall = sqliteRecall({ path, limits });
  return {
    path,
    db,
    memory: sqliteMemory(db),
    recall,
    async close() {
      await recall.close();
      db.close();
    },
  };
}

memoryContract("the SQLite memory", open);
memoryContract("the SQLite memory that scans bits in memory", () => open({ rowsInSql: 0 }));
memoryContract("the SQLite memory that falls back to FTS5", () => open({ memoryBytes: 0 }));

describe("forgetting", () => {
  const WORDS = ["zebracanary", "quaggacanary", "okapicanary", "tapircanary"];
  const canary = () =>
    memoryRecord({
      text: "zebracanary in the text",
      path: "src/quaggacanary.ts",
      symbol: "okapicanary",
      hunk: "+ tapircanary();",
      replies: ["zebracanary answered"],
    });
  const bytesOf = (path: string) =>
    ["", "-wal", "-shm"].map((end) => (existsSync(path + end) ? readFileSync(path + end, "latin1") : "")).join("\n");
  const left = (path: string) => WORDS.filter((word) => bytesOf(path).includes(word));

  for (const [what, forget] of [
    ["a record", (opened: OpenMemory, id: string) => opened.memory.forget(SHOP, [id])],
    ["a repository", (opened: OpenMemory) => opened.memory.forgetRepository(SHOP)],
  ] as const) {
    test(`${what} leaves none of its words in the file, the write-ahead log or its index`, async () => {
      const opened = open();
      const record = canary();
      const others = Array.from({ length: 200 }, (_, n) =>
        memoryRecord({ repo: "github.com/5", text: `zebra quagga okapi tapir ${n}` }),
      );
      await opened.memory.remember(
        [...others, record].map((r) => ({ record: r, vector: vectorAt(1) })),
        SPACE,
      );
      expect(left(opened.path)).toEqual(WORDS);
      await opened.recall.matching(scopeOf(), "zebracanary", 5, {});
      expect(await forget(opened, record.id)).toBe(1);
      expect(left(opened.path)).toEqual([]);
      expect(
        opened.db.prepare("SELECT count(*) FROM word_index WHERE word_index MATCH 'zebracanary'").pluck().get(),
      ).toBe(0);
      expect(memoryProblems(opened.db)).toEqual([]);
      await opened.close();
    });
  }

  test("gives the room back: the file shrinks", async () => {
    const opened = open();
    const records = Array.from({ length: 400 }, () => memoryRecord({ text: "word ".repeat(400) }));
    await opened.memory.remember(
      records.map((record) => ({ record, vector: null })),
      SPACE,
    );
    opened.db.pragma("wal_checkpoint(TRUNCATE)");
    const before = readFileSync(opened.path).length;
    await opened.memory.forgetRepository(SHOP);
    expect(readFileSync(opened.path).length).toBeLessThan(before / 4);
    await opened.close();
  });

  test("that was cut short is hidden at once and ended by the next process", async () => {
    const opened = open();
    await opened.memory.remember([{ record: canary(), vector: vectorAt(0) }], SPACE);
    // As a process leaves it that dies right after its first transaction.
    opened.db.exec("UPDATE repositories SET host = '', github_id = id, owner_id = NULL");
    expect(await opened.recall.matching(scopeOf(), "zebracanary", 5, {})).toEqual([]);
    const next = sqliteMemory(opened.db);
    expect((await next.remember([{ record: canary(), vector: null }], SPACE)).added).toBe(1);
    expect(opened.db.prepare("SELECT count(*) FROM records").pluck().get()).toBe(1);
    await opened.close();
  });

  test("waits for nobody's turn: what is remembered after it stays, what came before goes", async () => {
    const opened = open();
    const before = Array.from({ length: 120 }, () => ({ record: memoryRecord(), vector: null }));
    const after = { record: memoryRecord(), vector: null };
    const [, gone] = await Promise.all([
      opened.memory.remember(before, SPACE),
      opened.memory.forgetRepository(SHOP),
      opened.memory.remember([after], SPACE),
    ]);
    expect(gone).toBe(120);
    expect((await opened.recall.counts(scopeOf())).total).toBe(1);
    await opened.close();
  });
});

describe("the keyword index", () => {
  test("stays in step with the records through updates and removals", async () => {
    const opened = open();
    const records = Array.from({ length: 60 }, (_, n) => memoryRecord({ text: `word${n} shared` }));
    await opened.memory.remember(
      records.map((record) => ({ record, vector: null })),
      SPACE,
    );
    const changed = records.map((record, n) => ({ ...record, text: n % 2 === 0 ? "fresh" : record.text }));
    await opened.memory.remember(
      changed.map((record) => ({ record, vector: null })),
      SPACE,
    );
    await opened.memory.forget(
      SHOP,
      records.slice(0, 20).map((record) => record.id),
    );
    expect(memoryProblems(opened.db)).toEqual([]);
    const count = (word: string) =>
      opened.db.prepare("SELECT count(*) FROM word_index WHERE word_index MATCH ?").pluck().get(word);
    expect([count("fresh"), count("shar")]).toEqual([20, 20]);
    await opened.close();
  });
});

describe("a search thread", () => {
  test("without sqlite-vec finds by words and says of vectors why not", async () => {
    const opened = open({ vectors: false });
    await opened.memory.remember([{ record: memoryRecord(), vector: vectorAt(0) }], SPACE);
    await expect(opened.recall.nearest(scopeOf(), vectorAt(0), SPACE, 5, {})).rejects.toThrow(
      /vector search is not available/,
    );
    expect(await opened.recall.matching(scopeOf(), "handshake", 5, {})).toHaveLength(1);
    await opened.close();
  });

  test("that ends under a question fails that question and is started again", async () => {
    const opened = open();
    const program = new URL("../../fakes/crashing-search.ts", import.meta.url);
    const recall = sqliteRecall({ path: opened.path, program });
    expect(await recall.version(SHOP)).toBe(7);
    await expect(recall.version("crash/1")).rejects.toThrow(/search thread ended: on purpose/);
    expect(await recall.version(SHOP)).toBe(7);
    await recall.close();
    await expect(recall.version(SHOP)).rejects.toThrow(/closed/);
    const broken = sqliteRecall({ path: opened.path, program });
    await expect(broken.version("crash/1")).rejects.toThrow(/ended/);
    await expect(broken.version("crash/1")).rejects.toThrow(/ended/);
    await expect(broken.version(SHOP)).rejects.toThrow(/stays down/);
    await broken.close();
    await opened.close();
  });

  test("refuses a scope that is not well-formed instead of guessing", async () => {
    const opened = open();
    for (const repo of ["", "shop", "/42", "github.com/"]) {
      await expect(opened.recall.matching(scopeOf({ repo }), "x", 5, {})).rejects.toThrow(RangeError);
    }
    const ownerPool = { ownerId: Number.NaN, targetIsPublic: true };
    await expect(opened.recall.counts(scopeOf({ ownerPool }))).rejects.toThrow(RangeError);
    await opened.close();
  });

  test("answers from several threads alike", async () => {
    const opened = open();
    await opened.memory.remember([{ record: memoryRecord(), vector: vectorAt(0) }], SPACE);
    const recall = sqliteRecall({ path: opened.path, workers: 2 });
    const answers = await Promise.all([1, 2, 3, 4].map(() => recall.matching(scopeOf(), "pool", 5, {})));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    await recall.close();
    await opened.close();
  });
});

describe("a file that cannot be used is refused in words", () => {
  const LEGACY = resolve(process.cwd(), "../shared/bad-inputs/sqlite/sqlite-vec-legacy-v0.1.6.db");

  test("not a database", async () => {
    const path = file();
    writeFileSync(path, "hello ".repeat(2_000));
    expect(() => openMemory(path)).toThrow(/cannot be read as Kodiai's memory .*Restore a backup/);
    const recall = sqliteRecall({ path });
    await expect(recall.version(SHOP)).rejects.toThrow(/cannot be read as Kodiai's memory/);
    await recall.close();
  });

  test("cut short", async () => {
    const opened = open();
    await opened.memory.remember(
      Array.from({ length: 50 }, () => ({ record: memoryRecord(), vector: vectorAt(0) })),
      SPACE,
    );
    await opened.close();
    truncateSync(opened.path, 8_192);
    expect(() => memoryProblems(openMemory(opened.path))).toThrow(/cannot be read as Kodiai's memory/);
  });

  test("missing, for reading", async () => {
    const recall = sqliteRecall({ path: join(tmpdir(), "kodiai-no-such-folder", "memory.db") });
    // What fails in a review stands in it: the file's name, not where the server keeps it.
    await expect(recall.counts(scopeOf())).rejects.toThrow(/^memory\.db is not there/);
    await recall.close();
  });

  test("of a newer Kodiai", () => {
    const path = file();
    const db = openMemory(path);
    db.pragma("user_version = 99");
    db.close();
    expect(() => openMemory(path)).toThrow(/newer than/);
  });

  test.skipIf(!existsSync(LEGACY))(`another program's (skipped unless ${LEGACY} is there)`, () => {
    const path = file();
    copyFileSync(LEGACY, path);
    const before = readFileSync(path);
    expect(() => openMemory(path)).toThrow(/tables of another program/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});
