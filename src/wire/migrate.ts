// Joins the two databases of `kodiai migrate`.
import { resolve } from "node:path";
import { openPostgres } from "../adapters/postgres/database.ts";
import { PARTS } from "../adapters/postgres/migrations.ts";
import { MOVER, postgresMoveTarget } from "../adapters/postgres/move-target.ts";
import { sqliteMoveSource } from "../adapters/sqlite/move-source.ts";
import type { OpenMigrate } from "../cli/migrate.ts";
import { UsageError } from "../cli/usage.ts";

/** A page is read in a moment, but the indexes of a million memories take minutes; a connection for each table at work. */
const PATIENCE = { statementMs: 7_200_000, lockMs: 10_000, connections: 4, name: MOVER, isMoving: true };

/** @param to the address; undefined for DATABASE_URL, which does not show it to whoever lists processes */
export const openMigration: OpenMigrate = async (from, to) => {
  const folder = /^sqlite:\/\/(.+)$/.exec(from)?.[1];
  if (folder === undefined) throw new UsageError("the store that is read is named sqlite://DIR");
  const url = to ?? process.env.DATABASE_URL;
  if (url === undefined) throw new UsageError("say where to: postgres://…, or set DATABASE_URL");
  const source = sqliteMoveSource(resolve(folder));
  try {
    const db = await openPostgres(url, PARTS, PATIENCE);
    return {
      folder,
      source,
      target: postgresMoveTarget(db),
      async close() {
        source.close();
        await db.close();
      },
    };
  } catch (error) {
    source.close();
    throw error;
  }
};
