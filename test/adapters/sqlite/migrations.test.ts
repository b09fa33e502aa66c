// Every schema that ever was becomes today's, with its rows; killed at any statement it is the old one or the new one.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite from "better-sqlite3";
import { afterAll, describe, expect, test } from "vitest";
import { olderCopy, openDatabase } from "../../../src/adapters/sqlite/database.ts";
import { checkFile } from "../../../src/adapters/sqlite/store-files.ts";
import { StoreUnusable } from "../../../src/domain/store-unusable.ts";
import { KEPT, rowsOf, shapeOf, writeGolden } from "./kept-schemas.ts";

const SLOW = process.env.SLOW === "1";
const folder = mkdtempSync(join(tmpdir(), "kodiai-migrations-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const fresh = () => join(folder, `${files++}.db`);

/** First 12 hex of SHA-256 of each step: one that is out there is never edited. */
const RELEASED = {
  queue: ["192a8c790b34", "accd741b0195", "849d5c934358", "0bacfc1e4636", "34016a659ecc", "65393c03d776"],
  memory: [
    "ff02cca2026e",
    "c10da04f070e",
    "b5adbfac6253",
    "6bf2ec9fb3bc",
    "3425f084118c",
    "3f622403a682",
    "0ee9ba6bab72",
  ],
};

/** How long a lease lasts is decided by signs of life now. */
const DROPPED: ReadonlySet<string> = new Set(["jobs.lease_until"]);

/** A row of then without what a later schema has no more. */
function kept(table: string, row: object): object {
  return Object.fromEntries(Object.entries(row).filter(([column]) => !DROPPED.has(`${table}.${column}`)));
}

describe.each(["queue", "memory"] as const)("%s.db", (what) => {
  const { migrations } = KEPT[what];
  const versions = migrations.map((_, at) => at + 1).slice(0, -1);

  test("its released steps are what they were", () => {
    const hashes = migrations.map((sql) => createHash("sha256").update(sql).digest("hex").slice(0, 12));
    expect(hashes.slice(0, RELEASED[what].length)).toEqual(RELEASED[what]);
  });

  test.each(versions)("schema %i becomes today's with its rows, and a copy of what was stays beside it", (version) => {
    const [path, today] = [fresh(), fresh()];
    writeGolden(what, version, path);
    const before = rowsOf(path);
    openDatabase(today, migrations).close();
    openDatabase(path, migrations).close();
    expect(shapeOf(path)).toEqual(shapeOf(today));
    checkFile(path, migrations);
    const after = rowsOf(path);
    for (const [table, rows] of Object.entries(before)) {
      expect(after[table]).toEqual(rows.map((row) => expect.objectContaining(kept(table, row as object))));
    }
    expect(rowsOf(olderCopy(path, version))).toEqual(before);
    expect(existsSync(`${olderCopy(path, version)}.partial`)).toBe(false);
  });

  test("a schema of a newer Kodiai is refused with what to do, and left alone", () => {
    const path = fresh();
    openDatabase(path, migrations).close();
    const newer = new BetterSqlite(path);
    newer.pragma(`user_version = ${migrations.length + 2}`);
    newer.close();
    for (const open of [() => openDatabase(path, migrations), () => checkFile(path, migrations)]) {
      expect(open).toThrow(StoreUnusable);
      expect(open).toThrow(
        /newer than the \d+ that this Kodiai knows\. Upgrade Kodiai, or use another KODIAI_DATA_DIR/,
      );
    }
    expect(new BetterSqlite(path, { readonly: true }).pragma("user_version", { simple: true })).toBe(
      migrations.length + 2,
    );
  });

  const statements = migrations.slice(1).flatMap(statementsOf).length;
  const points = Array.from({ length: statements }, (_, at) => at + 1).filter((at) => SLOW || at % 12 === 3);
  if (!SLOW)
    console.warn(`skipped: ${statements - points.length} of ${statements} kills of ${what}.db; SLOW=1 runs all`);

  test("a process that is killed at a statement leaves the old schema, and the next start completes the new one", () => {
    const today = fresh();
    openDatabase(today, migrations).close();
    for (const at of points) {
      const path = fresh();
      writeGolden(what, 1, path);
      const before = rowsOf(path);
      expect(killedAt(at, path, what)).toBe("SIGKILL");
      expect(rowsOf(path)).toEqual(before);
      openDatabase(path, migrations).close();
      expect(shapeOf(path)).toEqual(shapeOf(today));
      expect(rowsOf(olderCopy(path, 1))).toEqual(before);
    }
  }, 600_000);
});

/** Statements of a step: a trigger is one, whatever stands in it. */
function statementsOf(sql: string): string[] {
  const found: string[] = [];
  let open = "";
  for (const piece of sql.replaceAll(/--[^\n]*/g, "").split(";")) {
    open += `${piece};`;
    const isTrigger = /^\s*CREATE TRIGGER/.test(open);
    if (isTrigger && !/\bEND\s*;$/.test(open)) continue;
    if (open.trim() !== ";") found.push(open);
    open = "";
  }
  return found;
}

/** Opens the database in a process that dies before the given statement of a migration. Returns the signal. */
function killedAt(at: number, path: string, what: string): string | null {
  const program = join(folder, "killed.ts");
  const src = new URL("../../../src/adapters/sqlite", import.meta.url).pathname;
  const sqlite = new URL("../../../node_modules/better-sqlite3/lib/index.js", import.meta.url).pathname;
  writeFileSync(
    program,
    `import Database from ${JSON.stringify(sqlite)};
     const { ${what.toUpperCase()}_MIGRATIONS: steps } = await import(${JSON.stringify(`${src}/${what}-schema.ts`)});
     const { openDatabase } = await import(${JSON.stringify(`${src}/database.ts`)});
     ${statementsOf.toString()}
     let left = ${at};
     const exec = Database.prototype.exec;
     Database.prototype.exec = function (sql) {
       for (const one of statementsOf(sql)) {
         if (--left === 0) process.kill(process.pid, "SIGKILL");
         exec.call(this, one);
       }
       return this;
     };
     openDatabase(${JSON.stringify(path)}, steps);`,
  );
  const { signal, stderr } = spawnSync(process.execPath, [program], { encoding: "utf8" });
  if (signal === null) throw new Error(stderr);
  return signal;
}
