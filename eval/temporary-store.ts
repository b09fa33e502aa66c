// The real store in a folder of its own, filled through the real import, and removed when the work
// is done.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localWords } from "../src/adapters/local/local-embedder.ts";
import { languageOf } from "../src/analyze/analyze.ts";
import type { MemoryRecord } from "../src/domain/memory.ts";
import { importMemory } from "../src/flows/memory/memory-file.ts";
import { remember, rowRecord } from "../src/learn/learn.ts";
import type { Embedder, Memory, Recall } from "../src/ports/memory.ts";
import { openMemoryFile } from "../src/store/memory/memory-file.ts";
import { storedRecall } from "../src/store/memory/recall.ts";
import { MEMORY_PART } from "../src/store/memory/schema.ts";
import { storedMemory } from "../src/store/memory/stored-memory.ts";
import { migrate } from "../src/store/migrate.ts";
import { openPostgres } from "../src/store/postgres.ts";
import type { EmbeddedForm } from "./embedded-forms.ts";

/** What a model wrote, by the id of the row that it is about. */
export type WrittenById = ReadonlyMap<string, Pick<MemoryRecord, "situation" | "lesson" | "tags">>;

export interface TemporaryStore {
  readonly embedder: Embedder;
  readonly memory: Memory;
  readonly recall: Recall;
  /**
   * Rows of a corpus or an export, as `kodiai memory import` takes them. @returns how many were
   * added
   */
  importLines(lines: Iterable<string>, form?: EmbeddedForm): Promise<number>;
  /**
   * The same rows with the fields that a model wrote for some of them, by source id. @returns how
   * many have fields
   */
  importWritten(lines: Iterable<string>, written: WrittenById, form: EmbeddedForm): Promise<number>;
  /** Records that no import makes: code. @returns how many were added */
  addRecords(records: readonly MemoryRecord[]): Promise<number>;
}

/** A store in which nothing is remembered. */
export interface EmptyStore {
  readonly memory: Memory;
  readonly recall: Recall;
  close(): Promise<void>;
}

/** Evaluation data is public and must stay as it is, or its truth would be missing. */
const redact = async (text: string) => text;

/**
 * @param embedder the keyless one unless another is measured
 * @throws Error when a line of the data is not a row: figures of half the data would look like
 * figures
 */
export async function withStore<T>(
  work: (store: TemporaryStore) => Promise<T>,
  open: () => Promise<EmptyStore> = sqliteStore,
  embedder: Embedder = localWords(),
): Promise<T> {
  const { memory, recall, close } = await open();
  try {
    return await work({
      embedder,
      memory,
      recall,
      async importLines(lines, form) {
        const remembering = { redact, ...(form === undefined ? {} : { seenAs: form }) };
        const { remembered, wrongLines, problems } = await importMemory(
          lines,
          { remembering, lowInformation: () => null },
          { embedder, memory },
        );
        if (wrongLines > 0) throw new Error(`${wrongLines} wrong lines: ${problems[0]?.line} ${problems[0]?.reason}`);
        return remembered.added;
      },
      async importWritten(lines, written, form) {
        const records = [...lines].map((line) => {
          const record = rowRecord(line, { languageOf, lowInformation: () => null });
          if ("kind" in record) throw new Error(`a wrong line: ${record.reason}`);
          return { ...record, ...written.get(record.sourceId) };
        });
        await remember(records, embedder, memory, { redact, seenAs: form });
        return records.filter(({ sourceId }) => written.has(sourceId)).length;
      },
      async addRecords(records) {
        return (await remember(records, embedder, memory, { redact })).added;
      },
    });
  } finally {
    await close();
  }
}

export async function sqliteStore(): Promise<EmptyStore> {
  const folder = await mkdtemp(join(tmpdir(), "kodiai-eval-"));
  const path = join(folder, "memory.db");
  const db = await openMemoryFile(path);
  return {
    memory: storedMemory(db, () => Promise.resolve()),
    recall: storedRecall(db, db.vectorsMissing),
    async close() {
      await db.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * A Postgres in which nothing is remembered; what is written stays.
 *
 * @throws Error when something is remembered there: it would be measured too
 */
export async function postgresStore(url: string): Promise<EmptyStore> {
  const db = openPostgres(url, { statementMs: 600_000 });
  await migrate(db, [MEMORY_PART], url);
  const held = await db.one("SELECT 1 FROM records LIMIT 1");
  if (held !== null) throw new Error("the database holds memories already: name an empty one");
  return {
    memory: storedMemory(db, () => Promise.resolve()),
    recall: storedRecall(db, null),
    close: db.close,
  };
}
