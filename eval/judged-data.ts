// The judged retrieval data as it stands in its folder: comments, and pull requests with what an earlier comment should be.
import { dataFingerprint, readRows } from "./read-data.ts";

export interface CorpusRow {
  readonly id: string;
  readonly repo: string;
  readonly pr: number;
  readonly filePath: string;
  readonly language: string | null;
  readonly text: string;
  readonly hunk: string | null;
  readonly replies?: readonly string[];
  readonly side?: string | null;
  /** Absent where nobody is a bot. */
  readonly isBot?: boolean;
  readonly createdAt: string;
}

export interface JudgedRow {
  readonly id: string;
  readonly repo: string;
  readonly pr: number;
  readonly asOf: string;
  readonly title: string;
  readonly body: string | null;
  /** Whether the diff is the one that reviewers saw, or the final head. */
  readonly diffAt: string;
  readonly files: readonly { path: string; language: string | null; additions: number; deletions: number }[];
  readonly languages: readonly string[];
  readonly diff: string;
  readonly own: readonly string[];
  readonly relevant: readonly string[];
  readonly relevantGold: readonly string[];
  readonly grades: Readonly<Record<string, number>>;
}

export interface JudgedData {
  readonly corpus: readonly CorpusRow[];
  readonly queries: readonly JudgedRow[];
  readonly fingerprint: string;
}

/**
 * Reads corpus and queries from a folder, by shape. Nobody may read the labels (`category`, `lowInfo`, clusters): they
 * were written by those who wrote the truth.
 *
 * @throws Error when a truth id is missing from the corpus
 */
export async function readJudged(folder: string): Promise<JudgedData> {
  const files = await readRows(folder);
  const rows = files.flatMap((file) => file.rows) as Record<string, unknown>[];
  const corpus = rows.filter((row) => "hunk" in row && "createdAt" in row) as unknown as CorpusRow[];
  const queries = rows.filter((row) => "diff" in row && "asOf" in row) as unknown as JudgedRow[];
  const ids = new Set(corpus.map((row) => row.id));
  for (const query of queries) {
    const truth = [...query.own, ...query.relevant, ...query.relevantGold, ...Object.keys(query.grades)];
    const missing = truth.find((id) => !ids.has(id));
    if (missing !== undefined) throw new Error(`${query.id}: truth ${missing} is not in the corpus`);
  }
  return { corpus, queries, fingerprint: dataFingerprint(files) };
}
