// The judged retrieval data in its folder: comments, and pull requests with what an earlier comment
// should be.
import { z } from "zod";
import { dataFingerprint, readRows, shapedRows } from "./read-data.ts";
import { unanswered, unansweredRows } from "./unanswered.ts";

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
  /** Absent if there are no bots. */
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
 * Reads corpus and queries from a folder, by shape. Nobody may read the labels (`category`,
 * `lowInfo`, clusters): they were written by those who wrote the truth.
 *
 * @throws Error when a truth id is missing from the corpus
 */
export async function readJudged(folder: string): Promise<JudgedData> {
  const files = await readRows(folder);
  const rows = files.flatMap((file) => file.rows) as Record<string, unknown>[];
  const corpus = shapedRows(
    rows.filter((row) => "hunk" in row),
    "createdAt",
    Corpus,
  ) as unknown as CorpusRow[];
  const queries = shapedRows(
    rows.filter((row) => "diff" in row),
    "asOf",
    Judged,
  ) as unknown as JudgedRow[];
  const ids = new Set(corpus.map((row) => row.id));
  const dropped = new Set(unansweredRows().map(({ id }) => id));
  const asked = queries.filter((query) => {
    const truth = [...query.own, ...query.relevant, ...query.relevantGold, ...Object.keys(query.grades)];
    const missing = truth.find((id) => !ids.has(id));
    if (missing === undefined) return true;
    if (!dropped.has(missing)) throw new Error(`${query.id}: truth ${missing} is not in the corpus`);
    unanswered(query.id, `its truth ${missing} could not be read`);
    return false;
  });
  return { corpus, queries: asked, fingerprint: dataFingerprint(files) };
}

const date = z.string().refine((text) => !Number.isNaN(Date.parse(text)), "is no date");
const Corpus = z.looseObject({ id: z.string(), repo: z.string(), text: z.string(), createdAt: date });
const Judged = z.looseObject({
  ...{ id: z.string(), repo: z.string(), title: z.string(), diff: z.string(), asOf: date },
  ...{ own: z.array(z.string()), relevant: z.array(z.string()), relevantGold: z.array(z.string()) },
  ...{ languages: z.array(z.string()), grades: z.record(z.string(), z.number()) },
});
