// The driver of SQLite among other processes on the same file.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSqlite } from "../../src/store/sqlite.ts";

test("a transaction holds the lock from its first statement on: between its read and its write nobody writes", async () => {
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
  // A read that turns into a write would fail at once when another process wrote meanwhile, or lose what it wrote.
  await Promise.all([countUp(mine), countUp(theirs), countUp(mine), countUp(theirs)]);
  expect(await mine.one("SELECT n FROM counts")).toEqual({ n: 4 });
  await mine.close();
  await theirs.close();
  rmSync(folder, { recursive: true });
});
