// What is kept about one person, in a PostgreSQL.
import { afterAll, afterEach, describe } from "vitest";
import { openPostgres } from "../../../src/store/postgres.ts";
import { personPorts } from "../../../src/wire/cli/store.ts";
import { openStore } from "../../../src/wire/store.ts";
import { fillWithPerson, personContract } from "../../adapters/contracts/person-books.ts";
import { type TestDatabase, testDatabase } from "../../postgres.ts";

const first = await testDatabase();
afterAll(() => first?.drop());
let close = async () => {};
afterEach(() => close());

describe.skipIf(first === null)("on PostgreSQL", () => {
  personContract("the Postgres store", async () => {
    const given = (await testDatabase()) as TestDatabase;
    await fillWithPerson(await openStore(given.url));
    const db = openPostgres(given.url);
    const [books, store] = [await personPorts(given.url), await openStore(given.url)];
    close = async () => {
      await books.close();
      await store.close();
      await db.close();
      await given.drop();
    };
    const everything = async () => {
      const tables = await db.all<{ name: string }>(
        "SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'",
      );
      let all = "";
      for (const { name } of tables) {
        const rows = await db.all<{ row: string }>(`SELECT row_to_json(t)::text AS row FROM ${name} AS t`);
        all += rows.map(({ row }) => row).join("\n");
      }
      return all;
    };
    return { books, store, everything };
  });
});
