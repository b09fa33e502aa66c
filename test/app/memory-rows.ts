// What the app's memory holds, read from its file as an operator would look into it.
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Harness } from "./app-harness.ts";

export interface MemoryRows {
  readonly source: string;
  readonly corpus: string;
  readonly text: string;
  readonly hunk: string | null;
  readonly tags: string;
  readonly url: string | null;
}

/** Memories of a repository, by source. */
export function memoryRows(harness: Harness, { id }: { readonly id: number }): MemoryRows[] {
  return read<MemoryRows>(
    harness,
    `SELECT c.source_id AS source, r.corpus, c.text, c.hunk, c.tags, c.url FROM records r
     JOIN repositories p ON p.id = r.repo JOIN contents c ON c.id = r.id
     WHERE p.github_id = ? ORDER BY r.corpus, c.source_id`,
    String(id),
  );
}

/**
 * How a repository is labelled: `OWNER/NAME VISIBILITY`, with the owner's id; null when nothing is
 * remembered about it.
 */
export function labelOf(
  harness: Harness,
  { id }: { readonly id: number },
): { name: string; owner: number | null } | null {
  const sql = `SELECT full_name || ' ' || visibility AS name, owner_id AS owner FROM repositories WHERE github_id = ?`;
  return read<{ name: string; owner: number | null }>(harness, sql, String(id))[0] ?? null;
}

function read<Row>({ dataDir }: Harness, sql: string, value: string): Row[] {
  const db = new Database(join(dataDir, "memory.db"), { readonly: true });
  try {
    return db.prepare(sql).all(value) as Row[];
  } finally {
    db.close();
  }
}
