// Joins the two databases of `kodiai migrate`.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { OpenMigrate } from "../cli/migrate.ts";
import { UsageError } from "../cli/usage.ts";
import { StoreUnusable } from "../domain/errors.ts";
import { openMemoryFile } from "../store/memory/memory-file.ts";
import { MEMORY_PART } from "../store/memory/schema.ts";
import { migrate } from "../store/migrate.ts";
import { openPostgres } from "../store/postgres.ts";
import { openQueueFile } from "../store/queue/clock.ts";
import { QUEUE_PART } from "../store/queue/schema.ts";
import { moveStore } from "../store/upkeep/move.ts";

/** @param to the address; undefined for DATABASE_URL, which does not show it to whoever lists processes */
export const openMigration: OpenMigrate = async (from, to) => {
  const named = /^sqlite:\/\/(.+)$/.exec(from)?.[1];
  if (named === undefined) throw new UsageError("the store that is read is named sqlite://DIR");
  const url = to ?? process.env.DATABASE_URL;
  if (url === undefined) throw new UsageError("say where to: postgres://…, or set DATABASE_URL");
  const folder = resolve(named);
  for (const name of ["queue.db", "memory.db"])
    if (!existsSync(join(folder, name))) throw new StoreUnusable(`There is no ${name} in ${folder}.`);
  const queue = await openQueueFile(join(folder, "queue.db"));
  const memory = await openMemoryFile(join(folder, "memory.db"));
  // A statement reads a page in a moment; all is on disk before the move ends.
  const target = openPostgres(url, { lockMs: 10_000, connections: 2, name: "kodiai migrate" });
  const close = async () => {
    for (const db of [queue, memory, target]) await db.close();
  };
  try {
    await migrate(target, [MEMORY_PART, QUEUE_PART], "DATABASE_URL");
    return { folder, move: (report) => moveStore({ queue, memory }, target, report), close };
  } catch (error) {
    await close();
    throw error;
  }
};
