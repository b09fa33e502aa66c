// Writes memory: in short transactions one after another, so that nobody else waits long and no write overtakes another.
import type { EmbeddedRecord, EmbeddingSpace, RepoKey } from "../../domain/memory.ts";
import type { Memory } from "../../ports/memory.ts";
import { failPoint } from "../fail-point.ts";
import { refusalReason, withoutNul } from "../memory/record-problem.ts";
import { type Database, write } from "./database.ts";
import { fieldCounts, writtenFields } from "./descriptions.ts";
import { forgetRecords, forgetWholeRepository, sweepForgotten } from "./forget.ts";
import { knownSources } from "./known-sources.ts";
import { tick } from "./repository-label.ts";
import { trainSpace, writableSpace } from "./stored-space.ts";
import { type RecordWriter, recordWriter } from "./write-record.ts";

/** Rows a transaction. The write lock and the event loop are held for as long as one takes. */
const CHUNK = 100;

/**
 * Memory over an open file (see openMemory).
 *
 * Every method may throw `Transient` when another process holds the write lock for more than a second; what was
 * written until then stays, and the same call again completes it.
 */
export function sqliteMemory(db: Database.Database): Memory {
  const writeRecord = recordWriter(db);
  const inTurn = queue();
  // What a stopped process had begun to forget is forgotten before anything else; a lock leaves it to the next time.
  const swept = inTurn(() => sweepForgotten(db)).catch(() => {});
  return {
    remember: (rows, space) => swept.then(() => inTurn(() => remember(db, writeRecord, rows, space))),
    known: (repo, corpus, space, sourceIds) => swept.then(() => knownSources(db, repo, corpus, space, sourceIds)),
    fields: (repo, ids) => swept.then(() => writtenFields(db, repo, ids)),
    fieldCounts: (repo) => swept.then(() => fieldCounts(db, repo)),
    forget: (repo, ids) => swept.then(() => inTurn(() => forgetRecords(db, repo, ids))),
    forgetRepository: (repo: RepoKey) => swept.then(() => inTurn(() => forgetWholeRepository(db, repo))),
  };
}

type Refusal = { readonly id: string; readonly reason: string };

async function remember(
  db: Database.Database,
  writeRecord: RecordWriter,
  rows: readonly EmbeddedRecord[],
  space: EmbeddingSpace,
): ReturnType<Memory["remember"]> {
  failPoint("before-remember");
  const refused: Refusal[] = [];
  const fit: EmbeddedRecord[] = [];
  for (const row of rows) {
    const reason = refusalReason(row, space);
    if (reason === null) fit.push({ ...row, record: withoutNul(row.record) });
    else refused.push({ id: row.record.id, reason });
  }
  let [added, updated] = [0, 0];
  for (let at = 0; at < fit.length; at += CHUNK) {
    if (at > 0) await breath();
    const chunk = fit.slice(at, at + CHUNK);
    const ends = write(db, () => {
      const version = tick(db);
      const stored = writableSpace(db, space);
      const told = chunk.map((row) => writeRecord(row, stored, version));
      const vectors = chunk.filter((row, index) => row.vector !== null && told[index] !== "taken").length;
      trainSpace(db, stored, vectors);
      return told;
    });
    added += ends.filter((end) => end === "added").length;
    updated += ends.filter((end) => end === "updated").length;
    chunk.forEach(({ record }, index) => {
      if (ends[index] === "taken") refused.push({ id: record.id, reason: "id belongs to another repository" });
    });
  }
  failPoint("after-remember");
  return { added, updated, refused };
}

/** Lets the event loop answer others between two transactions. */
export function breath(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Runs what it is given one after another. */
function queue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
}
