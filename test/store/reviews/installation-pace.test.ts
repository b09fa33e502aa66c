// Turns to write, of processes that ask for them in the same moment, by the database's own clock.
import { afterAll, describe, expect, test } from "vitest";
import type { WriteTurn } from "../../../src/ports/writes.ts";
import { openPostgres } from "../../../src/store/postgres.ts";
import { storedInstallationPace } from "../../../src/store/reviews/writes.ts";
import { testDatabase } from "../../postgres.ts";

const given = await testDatabase();
const db = given === null ? null : openPostgres(given.url);
/** Of another process: what is asked while a transaction of `db` is open. */
const elsewhere = given === null ? null : openPostgres(given.url);
afterAll(async () => {
  await db?.close();
  await elsewhere?.close();
  await given?.drop();
});

const LONGEST_MS = 31_000;

describe.skipIf(db === null)("turns on PostgreSQL", () => {
  test("who asked for a turn before another kept it, and was answered after that, has none [R8]", async () => {
    if (db === null || elsewhere === null) throw new Error("there is no database");
    const [mine, other] = [storedInstallationPace(db), storedInstallationPace(elsewhere)];
    const turn = (await mine.takeTurn(7, LONGEST_MS)) as WriteTurn;
    let asked: Promise<WriteTurn | null> | null = null;
    await db.transaction(async (sql) => {
      await sql.run("SELECT 1 FROM installations WHERE id = 7 FOR UPDATE");
      asked = other.takeTurn(7, LONGEST_MS);
      await expect
        .poll(() =>
          elsewhere.one(
            "SELECT 1 AS waits FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%next_write%'",
          ),
        )
        .not.toBeNull();
      await sql.run(
        `UPDATE installations SET next_write = floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + $2
         WHERE id = 7 AND writer = $1`,
        [turn.token, LONGEST_MS],
      );
    });
    expect(await asked).toBeNull();
    expect(await mine.keepTurn(turn, LONGEST_MS)).toBe(true);
  });
});
