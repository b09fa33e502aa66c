// The embedded memory's file: what was forgotten leaves it to the last byte, and one that cannot be
// used is refused in words.
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { storedEvidence } from "../../../src/store/memory/evidence.ts";
import { openMemoryFile, pageProblems, reclaimFile } from "../../../src/store/memory/memory-file.ts";
import { storedRecall } from "../../../src/store/memory/recall.ts";
import { storedRejections } from "../../../src/store/memory/rejections.ts";
import { storedMemory } from "../../../src/store/memory/stored-memory.ts";
import type { SqliteDatabase } from "../../../src/store/sqlite.ts";
import { memoryRecord, type OpenMemory, SHOP, SPACE, scopeOf, vectorAt } from "../../adapters/contracts/memory.ts";
import { aFinding, REPO, SHAPE, wren } from "../../adapters/contracts/rejections.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), "kodiai-memory-"));
  folders.push(folder);
  return join(folder, "memory.db");
}

async function open(
  limits?: Parameters<typeof openMemoryFile>[1],
): Promise<OpenMemory & { readonly path: string; readonly db: SqliteDatabase }> {
  const path = file();
  const db = await openMemoryFile(path, limits);
  const memory = storedMemory(db, () => reclaimFile(db));
  return { path, db, memory, recall: storedRecall(db, db.vectorsMissing), close: db.close };
}

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
    test(`${what} leaves none of its words in the file, the write-ahead log or its index [T20]`, async () => {
      const opened = await open();
      const record = canary();
      const others = Array.from({ length: 200 }, (_, n) =>
        memoryRecord({ repo: "github.com/5", text: `zebra quagga okapi tapir ${n}` }),
      );
      await opened.memory.remember(
        [...others, record].map((r) => ({ record: r, vector: vectorAt(1) })),
        SPACE,
      );
      expect(left(opened.path)).toEqual(WORDS);
      expect((await opened.recall.matching(scopeOf(), ["zebracanary"], 5, {})).flat()).toHaveLength(1);
      expect(await forget(opened, record.id)).toBe(1);
      expect(left(opened.path)).toEqual([]);
      expect((await opened.recall.matching(scopeOf(), ["zebracanary"], 5, {})).flat()).toEqual([]);
      for (const table of ["terms", "contents", "vectors"])
        expect([table, await opened.db.one(`SELECT count(*) AS n FROM ${table}`)]).toEqual([table, { n: 200 }]);
      expect(pageProblems(opened.db.connection)).toEqual([]);
      await opened.close();
    });
  }

  test("a finding leaves nothing of what was said against it", async () => {
    const opened = await open();
    const kept = storedRejections(opened.db);
    const [one, two] = [aFinding(1, "fnd_0000000000aa"), aFinding(2, "fnd_0000000000bb")];
    await opened.memory.remember(
      [one, two].map((record) => ({ record, vector: null })),
      SPACE,
    );
    const decide = storedEvidence(opened.db).decide;
    const rejected = (memoryId: string, reason: string) => {
      return { memoryId, outcome: "declined", decided: null, rejections: [wren({ reason })] } as const;
    };
    await decide(REPO, [rejected(one.id, "a-reason-of-its-own"), rejected(two.id, "b-reason-of-its-own")]);
    await kept.keep(REPO, { reported: [{ memoryId: one.id, rule: null, shape: SHAPE }], open: [], fixed: [] }, 9);
    expect(bytesOf(opened.path)).toContain("reason-of-its-own");
    await opened.memory.forget(REPO, [one.id]);
    await opened.memory.forgetRepository(REPO);
    expect(bytesOf(opened.path)).not.toContain("reason-of-its-own");
    await opened.close();
  });

  test("frees the space: the file shrinks", async () => {
    const opened = await open();
    const records = Array.from({ length: 400 }, () => memoryRecord({ text: "word ".repeat(400) }));
    await opened.memory.remember(
      records.map((record) => ({ record, vector: null })),
      SPACE,
    );
    await opened.db.script("PRAGMA wal_checkpoint(TRUNCATE)");
    const before = readFileSync(opened.path).length;
    await opened.memory.forgetRepository(SHOP);
    expect(readFileSync(opened.path).length).toBeLessThan(before / 4);
    await opened.close();
  });

  test("that was cut short is hidden at once and ended by the next process", async () => {
    const opened = await open();
    await opened.memory.remember([{ record: canary(), vector: vectorAt(0) }], SPACE);
    // As a process leaves it that dies right after its first transaction.
    await opened.db.run("UPDATE repositories SET host = '', github_id = id, owner_id = NULL");
    expect((await opened.recall.matching(scopeOf(), ["zebracanary"], 5, {})).flat()).toEqual([]);
    const next = storedMemory(opened.db, () => reclaimFile(opened.db));
    expect((await next.remember([{ record: canary(), vector: null }], SPACE)).added).toBe(1);
    expect(await opened.db.one("SELECT count(*) AS n FROM records")).toEqual({ n: 1 });
    await opened.close();
  });

  test("waits for no turn: later memories stay, earlier ones are deleted", async () => {
    const opened = await open();
    const before = Array.from({ length: 120 }, () => ({ record: memoryRecord(), vector: null }));
    const after = { record: memoryRecord(), vector: null };
    const [, removed] = await Promise.all([
      opened.memory.remember(before, SPACE),
      opened.memory.forgetRepository(SHOP),
      opened.memory.remember([after], SPACE),
    ]);
    expect(removed).toBe(120);
    expect((await opened.recall.counts(scopeOf())).total).toBe(1);
    await opened.close();
  });
});

describe("a search", () => {
  test("finds what the records say now, through updates and removals [002-19]", async () => {
    const opened = await open();
    const records = Array.from({ length: 60 }, (_, n) => memoryRecord({ text: `word${n} shared` }));
    const write = (rows: typeof records) =>
      opened.memory.remember(
        rows.map((record) => ({ record, vector: null })),
        SPACE,
      );
    const count = async (word: string) => (await opened.recall.matching(scopeOf(), [word], 100, {})).flat().length;
    await write(records);
    expect([await count("fresh"), await count("shared")]).toEqual([0, 60]);
    await write(records.map((record, n) => ({ ...record, text: n % 2 === 0 ? "fresh" : record.text })));
    expect([await count("fresh"), await count("shared")]).toEqual([30, 30]);
    await opened.memory.forget(
      SHOP,
      records.slice(0, 20).map((record) => record.id),
    );
    expect([await count("fresh"), await count("shared")]).toEqual([20, 20]);
    await opened.close();
  });

  test("without sqlite-vec finds by words and says of vectors why not", async () => {
    const opened = await open({ vectors: { file: "/nowhere/vec0.so" } });
    await opened.memory.remember([{ record: memoryRecord(), vector: vectorAt(0) }], SPACE);
    await expect(opened.recall.nearest(scopeOf(), [vectorAt(0)], SPACE, 5, {})).rejects.toThrow(
      /vector search is not available/,
    );
    expect((await opened.recall.matching(scopeOf(), ["handshake"], 5, {})).flat()).toHaveLength(1);
    await opened.close();
  });

  test("refuses a scope that is not well-formed instead of guessing", async () => {
    const opened = await open();
    for (const repo of ["", "shop", "/42", "github.com/"]) {
      await expect(opened.recall.matching(scopeOf({ repo }), ["x"], 5, {})).rejects.toThrow(RangeError);
    }
    const ownerPool = { ownerId: Number.NaN, targetIsPublic: true };
    await expect(opened.recall.counts(scopeOf({ ownerPool }))).rejects.toThrow(RangeError);
    await opened.close();
  });
});

describe("a file that cannot be used is refused in words", () => {
  const LEGACY = resolve(process.cwd(), "../shared/bad-inputs/sqlite/sqlite-vec-legacy-v0.1.6.db");

  test("not a database", async () => {
    const path = file();
    writeFileSync(path, "hello ".repeat(2_000));
    await expect(openMemoryFile(path)).rejects.toThrow(/cannot be read as Kodiai's memory .*Restore a backup/);
  });

  test("cut short", async () => {
    const opened = await open();
    await opened.memory.remember(
      Array.from({ length: 50 }, () => ({ record: memoryRecord(), vector: vectorAt(0) })),
      SPACE,
    );
    await opened.close();
    truncateSync(opened.path, 8_192);
    await expect(openMemoryFile(opened.path)).rejects.toThrow(/cannot be read as Kodiai's memory/);
  });

  test.skipIf(!existsSync(LEGACY))(`another program's (skipped unless ${LEGACY} is there)`, async () => {
    const path = file();
    copyFileSync(LEGACY, path);
    const before = readFileSync(path);
    await expect(openMemoryFile(path)).rejects.toThrow(/tables of another program/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});
