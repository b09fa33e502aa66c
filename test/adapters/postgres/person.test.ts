// What is kept about one person, in a PostgreSQL.
import { afterAll, afterEach, describe } from "vitest";
import { connectPostgres } from "../../../src/adapters/postgres/database.ts";
import { postgresPersonBooks } from "../../../src/adapters/postgres/person-books.ts";
import { openPostgresStore } from "../../../src/wire/postgres-store.ts";
import { type TestDatabase, testDatabase } from "../../postgres.ts";
import { fillWithPerson, personContract } from "../contracts/person-books.ts";

const first = await testDatabase();
afterAll(() => first?.drop());
let close = async () => {};
afterEach(() => close());

describe.skipIf(first === null)("on PostgreSQL", () => {
  personContract("the Postgres store", async () => {
    const given = (await testDatabase()) as TestDatabase;
    await fillWithPerson(await openPostgresStore(given.url));
    const db = connectPostgres(given.url);
    const store = await openPostgresStore(given.url);
    close = async () => {
      await store.close();
      await db.close();
      await given.drop();
    };
    const everything = async () => {
      const tables = await db.all<{ name: string }>(
        "SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables WHERE schemaname IN ('public', 'kodiai_boss')",
      );
      let all = "";
      for (const { name } of tables) {
        const rows = await db.all<{ row: string }>(`SELECT row_to_json(t)::text AS row FROM ${name} AS t`);
        all += rows.map(({ row }) => row).join("\n");
      }
      return all;
    };
    return { books: postgresPersonBooks(db), store, everything };
  });
});
