// Findings, what other tools said wrongly, and the queries of other reviewers, read from their
// folder by shape.
import { z } from "zod";
import { dataFingerprint, readRows, shapedRows } from "./read-data.ts";

const Finding = z.object({
  id: z.string(),
  finding_text: z.string(),
  language: z.string(),
  pr_url: z.string(),
  source_tool: z.string().nullish(),
});
const Query = z.object({
  id: z.string(),
  query: z.string(),
  pr_url: z.string(),
  tool: z.string(),
  ground_truth_memory_ids: z.array(z.string()).min(1),
});
const Queries = z.object({
  test_case_id: z.string(),
  queries: z.array(z.string()).min(1),
  pr_url: z.string(),
  tool: z.string(),
  ground_truth_memory_ids: z.array(z.string()).min(1),
});

export interface Said {
  readonly id: string;
  readonly text: string;
  readonly language: string;
  /** One number for what one tool said of one pull request; of a finding it means nothing. */
  readonly source: number;
}

export interface QuerySet {
  readonly id: string;
  readonly queries: readonly string[];
  /** Distractors of this number are the same reviewer's other words: they must not be found. */
  readonly source: number;
  readonly truth: ReadonlySet<string>;
}

export interface ParaphraseData {
  readonly memories: readonly Said[];
  readonly distractors: readonly Said[];
  readonly singles: readonly QuerySet[];
  readonly sets: readonly QuerySet[];
  readonly fingerprint: string;
}

/** @throws Error when a query's truth is none of the findings */
export async function readParaphrase(folder: string): Promise<ParaphraseData> {
  const files = await readRows(folder);
  const rows = files.flatMap((file) => file.rows);
  const numbers = new Map<string, number>();
  const sourceOf = (url: string, tool: string) => {
    const key = JSON.stringify([url, tool]);
    const number = numbers.get(key) ?? numbers.size + 1;
    numbers.set(key, number);
    return number;
  };
  const said = shapedRows(rows, "finding_text", Finding);
  const saidOf = (row: z.infer<typeof Finding>): Said => ({
    id: row.id,
    text: row.finding_text,
    language: row.language,
    source: sourceOf(row.pr_url, row.source_tool ?? ""),
  });
  const setOf = (id: string, queries: readonly string[], row: z.infer<typeof Query> | z.infer<typeof Queries>) => ({
    id,
    queries,
    source: sourceOf(row.pr_url, row.tool),
    truth: new Set(row.ground_truth_memory_ids),
  });
  const read: ParaphraseData = {
    memories: said.filter(({ source_tool }) => !source_tool).map(saidOf),
    distractors: said.filter(({ source_tool }) => source_tool).map(saidOf),
    singles: shapedRows(rows, "query", Query).map((row) => setOf(row.id, [row.query], row)),
    sets: shapedRows(rows, "queries", Queries).map((row) => setOf(row.test_case_id, row.queries, row)),
    fingerprint: dataFingerprint(files),
  };
  const ids = new Set(read.memories.map(({ id }) => id));
  const asked = [...read.singles, ...read.sets];
  const missing = asked.flatMap(({ truth }) => [...truth]).find((id) => !ids.has(id));
  if (missing !== undefined) throw new Error(`truth ${missing} is none of the findings`);
  return read;
}
