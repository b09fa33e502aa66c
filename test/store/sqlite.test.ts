// The driver of SQLite among other processes on the same file.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { Transient } from "../../src/domain/errors.ts";
import { openSqlite } from "../../src/store/sqlite.ts";

test("a transaction holds the lock from its first statement on: between its read and its write no other writes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kodiai-sqlite-"));
  const [mine, theirs] = [1, 2].map(() => openSqlite(join(folder, "x.db"), { now: Date.now }));
  if (mine === undefined || theirs === undefined) throw new Error("there are two");
  await mine.run("CREATE TABLE counts (n INTEGER NOT NULL)");
  await mine.run("INSERT INTO counts VALUES (0)");
  const countUp = (db: typeof mine) =>
    db.transaction(async (tx) => {
      const row = await tx.one<{ n: number }>("SELECT n FROM counts");
      await new Promise((resolve) => setTimeout(resolve, 5));
      await tx.run("UPDATE counts SET n = $1", [(row?.n ?? 0) + 1]);
    });
  // A read that turns into a write would fail at once when another process wrote meanwhile, or lose
  // what it wrote.
  await Promise.all([countUp(mine), countUp(theirs), countUp(mine), countUp(theirs)]);
  expect(await mine.one("SELECT n FROM counts")).toEqual({ n: 4 });
  await mine.close();
  await theirs.close();
  rmSync(folder, { recursive: true });
});

test("while a transaction holds the lock nothing else of its process runs, however long its steps are [R13]", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kodiai-sqlite-"));
  const [mine, theirs] = [1, 2].map(() => openSqlite(join(folder, "x.db"), { now: Date.now }));
  if (mine === undefined || theirs === undefined) throw new Error("there are two");
  await mine.run("CREATE TABLE counts (n INTEGER NOT NULL)");
  const seen: string[] = [];
  /**
   * A job that computes between any two microtasks; each time another process looks whether it
   * could write.
   */
  const computing = async () => {
    for (let step = 0; step < 50; step += 1) {
      await null;
      try {
        theirs.connection.exec("BEGIN IMMEDIATE; ROLLBACK");
        seen.push("free");
      } catch (error) {
        seen.push((error as Error).message);
      }
    }
  };
  const written = (n: number) =>
    mine.transaction(async (tx) => {
      for (let at = 0; at < 10; at += 1) await tx.run("INSERT INTO counts VALUES ($1)", [n]);
    });
  // Before, beside and after: what waits for a transaction goes on when the next one begins.
  const before = computing();
  const jobs = [1, 2, 3].map((n) => written(n).then(computing));
  await Promise.all([before, ...jobs, theirs.transaction((tx) => tx.run("INSERT INTO counts VALUES (4)"))]);
  expect(new Set(seen)).toEqual(new Set(["free"]));
  expect(seen).toHaveLength(200);
  expect(await theirs.one("SELECT count(*) AS n FROM counts")).toEqual({ n: 31 });
  await mine.close();
  await theirs.close();
  rmSync(folder, { recursive: true });
});

test("a disk that fails in a transaction, and again when that is rolled back, is a reason to try again [R14]", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kodiai-sqlite-"));
  const db = openSqlite(join(folder, "x.db"), { now: Date.now });
  await db.run("CREATE TABLE counts (n INTEGER NOT NULL)");
  const exec = db.connection.exec.bind(db.connection);
  const unread = () => {
    throw new BetterSqlite.SqliteError("disk I/O error", "SQLITE_IOERR_READ");
  };
  const failing = db.transaction(async (tx) => {
    await tx.run("INSERT INTO counts VALUES (1)");
    db.connection.exec = unread;
    await tx.one("SELECT n FROM counts");
    throw new Transient("the disk failed");
  });
  await expect(failing).rejects.toThrow(Transient);
  await expect(db.one("SELECT count(*) AS n FROM counts")).rejects.toThrow(Transient);
  db.connection.exec = exec;
  expect(await db.one("SELECT count(*) AS n FROM counts")).toEqual({ n: 0 });
  await db.transaction((tx) => tx.run("INSERT INTO counts VALUES (2)"));
  expect(await db.all("SELECT n FROM counts")).toEqual([{ n: 2 }]);
  await db.close();
  rmSync(folder, { recursive: true });
});
