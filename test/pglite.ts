// PostgreSQL inside this process, for contract tests where no server is at hand: one connection, no limits of time.
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { statements } from "../src/adapters/postgres/database.ts";
import { type MigrationPart, migrate } from "../src/adapters/postgres/migrate.ts";
import type { Postgres } from "../src/adapters/postgres/sql.ts";

const INT8 = 20;
const BYTEA = 17;
/** 2–13 seconds to start (two cores): one for each test file. */
export async function pgliteDatabase(parts: readonly MigrationPart[]): Promise<Postgres> {
  const lite = await PGlite.create({
    extensions: { vector },
    parsers: { [INT8]: Number, [BYTEA]: (text: string) => Buffer.from(text.slice(2), "hex") },
    // Texts that are JSON already: the server's driver takes them as they are.
    serializers: { 114: String, 3802: String },
  });
  type Queries = Pick<PGlite, "query">;
  const over = (queries: Queries) =>
    statements(async (text, values) => {
      const { rows, affectedRows } = await queries.query(text, values);
      return { rows, rowCount: affectedRows ?? 0 };
    });
  const transaction: Postgres["transaction"] = (work) => lite.transaction((tx) => work(over(tx as unknown as Queries)));
  const db: Postgres = {
    ...over(lite),
    transaction,
    snapshot: transaction,
    patiently: async (sql) => void (await lite.exec(sql)),
    close: () => lite.close(),
  };
  const exec: Postgres = {
    ...db,
    transaction: (work) =>
      lite.transaction((tx) =>
        work({
          ...over(tx as unknown as Queries),
          run: async (sql, values) => {
            if (values === undefined) await tx.exec(sql);
            else await tx.query(sql, [...values]);
            return 0;
          },
        }),
      ),
  };
  await migrate(exec, parts);
  // Arrays of vectors come in the binary form, as the server's driver sends them.
  const { rows } = await lite.query<{ oid: number }>("SELECT oid FROM pg_type WHERE typname = '_halfvec'");
  for (const { oid } of rows) lite.serializers[oid] = (bytes: unknown) => bytes as string;
  return db;
}
