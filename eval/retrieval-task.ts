// The three questions that are asked of the judged retrieval data: what is in memory, what may be
// found, what should be.
import type { FileDiff } from "../src/domain/pull-request.ts";
import { parseDiff } from "../src/gather/parse-diff.ts";
import type { CorpusRow, JudgedData, JudgedRow } from "./judged-data.ts";

/**
 * G: an earlier comment of the same repository on the same issue. H: the same with looser labels,
 * graded. S: a pull request's own comments from its diff alone, among all comments of the
 * repository and by their text alone.
 */
export const TASKS = ["G", "H", "S"] as const;
export type Task = (typeof TASKS)[number];

export interface TaskQuery {
  readonly id: string;
  readonly repo: string;
  readonly pr: number;
  readonly title: string;
  readonly body: string | null;
  readonly files: readonly FileDiff[];
  /** Epoch milliseconds at which it is asked. */
  readonly now: number;
  /** What was said at or after it cannot be found; null: all can. */
  readonly before: number | null;
  readonly truth: ReadonlySet<string>;
  readonly grades: ReadonlyMap<string, number>;
  readonly atReview: boolean;
  /** Canonical or display names, as the data gives them. */
  readonly languages: readonly string[];
}

export interface TaskData {
  readonly task: Task;
  /** Lines as an import takes them. */
  readonly lines: readonly string[];
  readonly queries: readonly TaskQuery[];
  /** Diffs of which a part could not be read. */
  readonly refusedDiffs: number;
}

/**
 * Of text alone nothing has a date: all of it was said on this day, and the question comes a day
 * later.
 */
const ONE_DAY = "2020-01-01T00:00:00Z";
const NEXT_DAY = Date.parse("2020-01-02T00:00:00Z");

/** @throws Error for a task that is none of ours */
export function readTask(name: string | undefined): Task {
  const task = TASKS.find((one) => one === (name ?? "G"));
  if (task === undefined) throw new Error(`--task is one of ${TASKS.join(", ")}`);
  return task;
}

/** @param repos only these repositories; null for all */
export function taskOf(task: Task, data: JudgedData, repos: ReadonlySet<string> | null): TaskData {
  const within = <T extends { readonly repo: string }>(rows: readonly T[]) =>
    repos === null ? rows : rows.filter(({ repo }) => repos.has(repo));
  let refusedDiffs = 0;
  const queries = within(data.queries).flatMap((row) => {
    const truth = truthOf(task, row);
    if (truth.length === 0) return [];
    const { files, refused } = parseDiff(row.diff);
    if (refused.length > 0) refusedDiffs += 1;
    return [queryOf(task, row, truth, files)];
  });
  const lines = within(data.corpus).map((row) => JSON.stringify(task === "S" ? bareText(row) : row));
  return { task, lines, queries, refusedDiffs };
}

function truthOf(task: Task, row: JudgedRow): readonly string[] {
  return { G: row.relevantGold, H: row.relevant, S: row.own }[task];
}

function queryOf(task: Task, row: JudgedRow, truth: readonly string[], files: readonly FileDiff[]): TaskQuery {
  const asOf = Date.parse(row.asOf);
  const grade = (id: string) => (task === "H" ? (row.grades[id] ?? 1) : 1);
  return {
    id: row.id,
    repo: row.repo,
    pr: row.pr,
    title: row.title,
    body: row.body,
    files,
    now: task === "S" ? NEXT_DAY : asOf,
    before: task === "S" ? null : asOf,
    truth: new Set(truth),
    grades: new Map(truth.map((id) => [id, grade(id)])),
    atReview: row.diffAt === "review-time",
    languages: row.languages,
  };
}

/** No path, hunk, language, replies, date or pull request: only what the comment says. */
function bareText({ id, repo, text }: CorpusRow) {
  return { id, repo, text, createdAt: ONE_DAY };
}
