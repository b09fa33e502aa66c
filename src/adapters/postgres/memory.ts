// Writes memory: in short transactions one after another, so that nobody else waits long.
import type { EmbeddedRecord, EmbeddingSpace } from "../../domain/memory.ts";
import type { Memory } from "../../ports/memory.ts";
import { failPoint } from "../fail-point.ts";
import { refusalReason, withoutNul } from "../memory/record-problem.ts";
import { forgetRecords, forgetWholeRepository, sweepForgotten } from "./forget.ts";
import { fieldCounts, knownSources, writtenFields } from "./known-sources.ts";
import type { Postgres } from "./sql.ts";
import { type Written, writeRecords } from "./write-records.ts";

/** Rows a transaction: others who write to the same repository wait for as long as one takes. */
const CHUNK = 100;

/**
 * Memory over an open database (see openPostgres). Every method may throw `Transient`; what was written until then stays, and
 * the same call again completes it.
 */
export function postgresMemory(db: Postgres): Memory {
  // What a stopped process had begun to forget is forgotten first; when that fails, the next time will do.
  const swept = sweepForgotten(db).catch(() => {});
  return {
    remember: (rows, space) => swept.then(() => remember(db, rows, space)),
    known: (repo, corpus, space, sourceIds) => knownSources(db, repo, corpus, space, sourceIds),
    fields: (repo, ids) => writtenFields(db, repo, ids),
    fieldCounts: (repo) => fieldCounts(db, repo),
    forget: (repo, ids) => swept.then(() => forgetRecords(db, repo, ids)),
    forgetRepository: (repo) => swept.then(() => forgetWholeRepository(db, repo)),
  };
}

async function remember(
  db: Postgres,
  rows: readonly EmbeddedRecord[],
  space: EmbeddingSpace,
): ReturnType<Memory["remember"]> {
  failPoint("before-remember");
  const refused: { readonly id: string; readonly reason: string }[] = [];
  const fit: EmbeddedRecord[] = [];
  for (const row of rows) {
    const reason = refusalReason(row, space);
    if (reason === null) fit.push({ ...row, record: withoutNul(row.record) });
    else refused.push({ id: row.record.id, reason });
  }
  const count: Record<Written, number> = { added: 0, updated: 0, taken: 0 };
  for (const chunk of chunks(fit)) {
    const ends = await db.transaction((sql) => writeRecords(sql, chunk, space));
    ends.forEach((end, at) => {
      count[end] += 1;
      const id = chunk[at]?.record.id ?? "";
      if (end === "taken") refused.push({ id, reason: "id belongs to another repository" });
    });
  }
  failPoint("after-remember");
  return { added: count.added, updated: count.updated, refused };
}

/** Rows in their order, a few at a time; an id that comes again begins a new chunk, so that the later one replaces the earlier. */
function* chunks(rows: readonly EmbeddedRecord[]): Generator<EmbeddedRecord[]> {
  let chunk = new Map<string, EmbeddedRecord>();
  for (const row of rows) {
    if (chunk.size === CHUNK || chunk.has(row.record.id)) {
      yield [...chunk.values()];
      chunk = new Map();
    }
    chunk.set(row.record.id, row);
  }
  if (chunk.size > 0) yield [...chunk.values()];
}
