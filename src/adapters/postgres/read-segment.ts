// Rows of one repository from Postgres into memory, and their words, a few at a time so that nobody waits for the event loop.
import type { Corpus, Outcome } from "../../domain/memory.ts";
import { emptyIndex, placed, type Segment, segmentOf } from "../memory/segment.ts";
import type { Sql } from "./sql.ts";

interface Row {
  readonly id: number;
  readonly mem: string;
  readonly pull: number | null;
  readonly at: number;
  readonly corpus: Corpus;
  readonly language: string;
  readonly chunk_type: string | null;
  readonly category: string | null;
  readonly severity: string | null;
  readonly path: string | null;
  readonly outcome: Outcome | null;
}

/** Rows whose words are taken in without a break: 20–100 µs each. */
const PIECE = 100;
/** Rows that are asked for at once. */
const BATCH = 2_000;

/** Reads the rows of a repository that changed after a version and are not stale, with their words. */
export async function readSegment(sql: Sql, repo: number, since: number): Promise<Segment> {
  const rows = await sql.all<Row>(
    `SELECT id, mem, pull, at, corpus, language, chunk_type, category, severity, path, outcome
     FROM records WHERE repo = $1 AND NOT stale AND changed > $2 ORDER BY id`,
    [repo, since],
  );
  const segment = segmentOf(
    repo,
    since,
    rows.map((r) => [
      ...([r.id, r.mem, r.pull, r.at, r.corpus, r.language] as const),
      ...([r.chunk_type, r.category, r.severity, r.path, r.outcome] as const),
    ]),
    rows.length,
  );
  const index = emptyIndex(segment);
  for (let from = 0; from < rows.length; from += BATCH) {
    const ids = Array.from(segment.ids.subarray(from, from + BATCH));
    const words = await sql.all<{ id: number; words: string }>(
      `SELECT id, text || E'\\n' || path || E'\\n' || symbol || E'\\n' || hunk AS words FROM words WHERE id = ANY ($1::bigint[]) ORDER BY id`,
      [ids],
    );
    let added = 0;
    for (const [position, row] of placed(segment, words)) {
      index.add(position, Buffer.from(row.words));
      added += 1;
      if (added % PIECE === 0) await breath();
    }
  }
  segment.words = index.done();
  return segment;
}

/** Lets the event loop answer others. */
function breath(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
