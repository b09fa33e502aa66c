// The steps of a schema, on each database: run once, all or none, and never over tables of another
// Kodiai.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite from "better-sqlite3";
import { afterAll, describe, expect, test } from "vitest";
import { StoreUnusable } from "../../src/domain/errors.ts";
import { MEMORY_PART } from "../../src/store/memory/schema.ts";
import { migrate, type SchemaPart, versions } from "../../src/store/migrate.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { QUEUE_PART } from "../../src/store/queue/schema.ts";
import type { Database } from "../../src/store/sql.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { insert } from "../../src/store/statement.ts";
import { openStore } from "../../src/wire/store.ts";
import { emptyDatabase } from "../postgres.ts";

const PARTS: readonly SchemaPart[] = [MEMORY_PART, QUEUE_PART];
const folder = mkdtempSync(join(tmpdir(), "kodiai-migrate-"));
const given = await emptyDatabase();
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await given?.drop();
});

function onBoth(open: () => Database): void {
  test("processes that start at once migrate once; an older Kodiai refuses what a newer one wrote", async () => {
    const opened = [1, 2, 3, 4].map(open);
    await Promise.all(opened.map((db) => migrate(db, PARTS, "the store")));
    const [db] = opened as [Database];
    const steps = await db.all<{ part: string; version: number }>(
      "SELECT part, version FROM schema_steps ORDER BY part, version",
    );
    const known = PARTS.flatMap(({ part, steps }) => steps.map((_, at) => ({ part, version: at + 1 })));
    expect(steps).toEqual(known.toSorted((a, b) => a.part.localeCompare(b.part)));
    const newer = PARTS.map(({ part, steps: known }) => ({
      part,
      steps: [...known, () => "CREATE TABLE IF NOT EXISTS more (id int);"],
    }));
    await migrate(db, newer, "the store");
    const refused = migrate(db, PARTS, "the store");
    const own = MEMORY_PART.steps.length;
    await expect(refused).rejects.toThrow(
      `the store has schema ${own + 1} of memory, newer than the ${own} that this Kodiai knows`,
    );
    await expect(refused).rejects.toBeInstanceOf(StoreUnusable);
    for (const one of opened) await one.close();
  });

  test("a step that fails leaves nothing of the steps before it", async () => {
    const db = open();
    const broken: SchemaPart = {
      part: "broken",
      steps: [
        () => "CREATE TABLE first (id int);\nINSERT INTO first VALUES (1);",
        () => "CREATE TABLE first (id int);",
      ],
    };
    await expect(migrate(db, [broken], "the store")).rejects.toThrow("first");
    await expect(db.all("SELECT * FROM first")).rejects.toThrow("first");
    expect((await versions(db)).has("broken")).toBe(false);
    await db.close();
  });
}

/** @param db empty */
async function upgraded(db: Database): Promise<void> {
  await migrate(db, [{ ...MEMORY_PART, steps: MEMORY_PART.steps.slice(0, 1) }], "the store");
  await insert(db, "repositories", { host: "h", github_id: "1", visibility: "public", full_name: "a/b", version: 1 });
  await db.script(
    `INSERT INTO records (id, repo, mem, stale, at, corpus, language, changed) VALUES (1, 1, 'm', 0, 0, 'finding', 'Go', 0);
     INSERT INTO rejections VALUES (1, 'wren', 1, 'by design', NULL, 5);
     INSERT INTO rejections VALUES (1, 'vera', 1, NULL, NULL, 6);
     INSERT INTO rejections VALUES (1, 'nils', 1, NULL, NULL, 8);
     INSERT INTO against VALUES (1, 'nils', 'a reply with a reason', NULL, 7, 0);
     INSERT INTO against VALUES (1, 'vera', NULL, NULL, 4, 1);
     INSERT INTO against VALUES (1, 'ines', NULL, NULL, 3, 1);`,
  );
  await migrate(db, PARTS, "the store");
  expect(await db.all("SELECT by, reason, at, is_reaction FROM rejections ORDER BY at")).toEqual([
    { by: "ines", reason: null, at: 3, is_reaction: 1 },
    { by: "wren", reason: "by design", at: 5, is_reaction: 0 },
    { by: "vera", reason: null, at: 6, is_reaction: 0 },
    { by: "nils", reason: "a reply with a reason", at: 7, is_reaction: 0 },
  ]);
  await expect(db.all("SELECT * FROM taken")).rejects.toThrow("taken");
  expect(await db.all("SELECT full_name FROM repositories")).toEqual([{ full_name: "a/b" }]);
  await db.close();
}

describe("on SQLite", () => {
  onBoth(() => openSqlite(join(folder, "store.db"), { now: Date.now }));

  test("a store of the first schema keeps its repositories and rejections, and loses the proposals that were taken", () =>
    upgraded(openSqlite(join(folder, "first.db"), { now: Date.now })));

  test("a file with tables of another program is refused and left as it is", async () => {
    const home = mkdtempSync(join(folder, "old-"));
    const path = join(home, "queue.db");
    const old = new BetterSqlite(path);
    old.exec("CREATE TABLE deliveries (id TEXT PRIMARY KEY); INSERT INTO deliveries VALUES ('d-1')");
    old.close();
    const refused = openStore(home);
    await expect(refused).rejects.toThrow(`${path}: it holds tables of another program.`);
    await expect(refused).rejects.toBeInstanceOf(StoreUnusable);
    const kept = new BetterSqlite(path, { readonly: true });
    expect(kept.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all()).toEqual(["deliveries"]);
    expect(kept.prepare("SELECT id FROM deliveries").pluck().all()).toEqual(["d-1"]);
    kept.close();
  });
});

describe.skipIf(given === null)("on PostgreSQL", () => {
  onBoth(() => openPostgres(given?.url ?? "", { connections: 1 }));

  test("a store of the first schema keeps its repositories and rejections, and loses the proposals that were taken", async () => {
    const own = await emptyDatabase();
    await upgraded(openPostgres(own?.url ?? ""));
    await own?.drop();
  });

  test("a database with tables of another program is refused and left as it is", async () => {
    const own = await emptyDatabase();
    const db = openPostgres(own?.url ?? "");
    // Many programs keep a table of this name.
    await db.script("CREATE TABLE schema_migrations (part text, version int)");
    await db.script("CREATE TABLE deliveries (id text)");
    const refused = openStore(own?.url ?? "");
    await expect(refused).rejects.toThrow(/^DATABASE_URL: it holds tables of another program\./);
    await expect(refused).rejects.toBeInstanceOf(StoreUnusable);
    expect(await db.all("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")).toEqual([
      { tablename: "deliveries" },
      { tablename: "schema_migrations" },
    ]);
    await db.close();
    await own?.drop();
  });
});
