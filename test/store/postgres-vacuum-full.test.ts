// What a PostgreSQL keeps on disk of somebody who was erased, as whoever has its data folder reads
// it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { CACHE } from "../../scripts/postgres-providers.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { personPorts } from "../../src/wire/cli/store.ts";
import { openStore } from "../../src/wire/store.ts";
import { fillWithPerson, LOGIN, tracesIn } from "../adapters/contracts/person-stores.ts";
import { testDatabase } from "../postgres.ts";

const given = await testDatabase();
afterAll(() => given?.drop());

/**
 * Of the server that `npm run postgres -- --detach` started; null where its files are not ours to
 * read.
 */
function dataFolder(): string | null {
  const note = join(CACHE, "postgres-running.json");
  if (given === null || !existsSync(note)) return null;
  const { url, data } = JSON.parse(readFileSync(note, "utf8")) as { url: string; data: string | null };
  return data !== null && new URL(url).port === new URL(given.url).port && existsSync(data) ? data : null;
}
const data = dataFolder();
/** Others that look at the database as it was. */
const OTHERS = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)`;
/** The statements that docs/data.md gives an operator. */
const rewriting = readFileSync("docs/data.md", "utf8").match(/^VACUUM [^;\n]*;$/gm) ?? [];
if (data === null) console.warn("skipped: no PostgreSQL whose data folder can be read; `npm run postgres -- --detach`");

describe.skipIf(given === null || data === null)("the data files of PostgreSQL", () => {
  test("contain nothing of an erased person once the tables were rewritten [T20]", async () => {
    if (given === null || data === null) return;
    await fillWithPerson(await openStore(given.url));
    const db = openPostgres(given.url);
    try {
      const oid = (await db.one<{ oid: number }>("SELECT oid::int FROM pg_database WHERE datname = current_database()"))
        ?.oid;
      /** Every byte of the database's files, once what is in memory was written to them. */
      const held = async () => {
        // The files of a table that was written anew go with the checkpoint after the one that
        // finds them unused.
        for (const statement of ["CHECKPOINT", "CHECKPOINT"]) await db.run(statement);
        const folder = join(data, "base", String(oid));
        return tracesIn(
          readdirSync(folder)
            .map((name) => readFileSync(join(folder, name), "latin1"))
            .join("\n"),
        );
      };
      // What the planner keeps are samples of the values.
      await db.script("ANALYZE");
      const rewrite = async () => {
        for (const statement of rewriting) await db.script(statement);
      };
      const stores = await personPorts(given.url);
      // Somebody whose transaction began before, such as the database's own ANALYZE, sees the rows,
      // so a rewritten table has them.
      const before = new pg.Client({ connectionString: given.url });
      await before.connect();
      await before.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
      await stores.erase({ login: LOGIN }, true);
      expect(await stores.rows({ login: LOGIN })).toEqual([]);
      expect(await held()).not.toEqual([]);
      await rewrite();
      expect(await held()).not.toEqual([]);
      await before.query("COMMIT");
      await before.end();
      await expect.poll(() => db.all(OTHERS)).toEqual([]);
      // As the page says: once more where the database itself was at work.
      for (let times = 0; times < 3 && (await held()).length > 0; times += 1) await rewrite();
      expect(await held()).toEqual([]);
      const store = await openStore(given.url);
      expect(await store.queue.counts()).toMatchObject({ running: 0 });
      await store.close();
    } finally {
      await db.close();
    }
  });
});
