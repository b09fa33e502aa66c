// The judged retrieval data as a history: pull requests in the order of their dates, with what
// people said on them later.

import { mostOf, type PlaceboCandidate, placeboFor } from "../src/domain/figures/replay.ts";
import { canonicalLanguage } from "../src/domain/language.ts";
import type { FileDiff } from "../src/domain/pull-request.ts";
import { parseDiff } from "../src/gather/parse-diff.ts";
import type { CorpusRow, JudgedData } from "./judged-data.ts";
import type { TaskQuery } from "./retrieval-task.ts";

export interface HistoryPull {
  readonly query: TaskQuery;
  /** What people said on it at or after the date at which memory is frozen. */
  readonly comments: readonly string[];
  readonly language: string;
  /** Memories that its repository, and the placebo, had by then. */
  readonly memories: { readonly on: number; readonly placebo: number };
  /** The placebo repository; null when no other has its main language. */
  readonly placebo: string | null;
}

export interface History {
  /** By repository, then date. */
  readonly pulls: readonly HistoryPull[];
  /** Why pull requests are not replayed. */
  readonly leftOut: readonly string[];
}

/** @param repos only these are replayed; null for all. Placebos are chosen among all */
export function historyOf({ corpus, queries }: JudgedData, repos: ReadonlySet<string> | null): History {
  const byRepo = Map.groupBy(corpus, ({ repo }) => repo);
  const placebos = placebosOf(byRepo);
  const leftOut = { silent: 0, cold: 0 };
  const asked = queries.filter(({ repo }) => repos === null || repos.has(repo));
  const pulls = asked.flatMap((row): HistoryPull[] => {
    const asOf = Date.parse(row.asOf);
    const own = (byRepo.get(row.repo) ?? []).filter(({ pr }) => pr === row.pr);
    const later = own.filter(({ isBot, createdAt }) => isBot !== true && Date.parse(createdAt) >= asOf);
    const before = (repo: string | null, except: number | null) =>
      repo === null
        ? 0
        : (byRepo.get(repo) ?? []).filter((c) => c.pr !== except && Date.parse(c.createdAt) < asOf).length;
    const placebo = placebos.get(row.repo) ?? null;
    const memories = { on: before(row.repo, row.pr), placebo: before(placebo, null) };
    if (later.length === 0) leftOut.silent += 1;
    else if (memories.on === 0) leftOut.cold += 1;
    if (later.length === 0 || memories.on === 0) return [];
    const { files } = parseDiff(row.diff);
    return [
      {
        query: queryOf(row, asOf, files),
        comments: later.map(({ text }) => text),
        language: languageOf(later),
        memories,
        placebo,
      },
    ];
  });
  pulls.sort((a, b) =>
    a.query.repo < b.query.repo ? -1 : a.query.repo > b.query.repo ? 1 : a.query.now - b.query.now,
  );
  return {
    pulls,
    leftOut: [
      `${leftOut.silent} pull requests on which no person said anything later`,
      `${leftOut.cold} pull requests before which nothing was said`,
    ],
  };
}

function languageOf(rows: readonly CorpusRow[]): string {
  return mostOf(rows.map(({ language }) => [canonicalLanguage(language ?? ""), 1]));
}

/** repository → the one of the same main language with the nearest number of comments, or null */
function placebosOf(byRepo: ReadonlyMap<string, readonly CorpusRow[]>): ReadonlyMap<string, string | null> {
  const all = [...byRepo].map(
    ([key, rows]): PlaceboCandidate => ({ key, language: languageOf(rows), memories: rows.length }),
  );
  return new Map(all.map((one) => [one.key, placeboFor(one, all)?.key ?? null]));
}

function queryOf(row: JudgedData["queries"][number], asOf: number, files: readonly FileDiff[]): TaskQuery {
  const { id, repo, pr, title, body, languages } = row;
  const judged = {
    truth: new Set<string>(),
    grades: new Map<string, number>(),
    atReview: row.diffAt === "review-time",
  };
  return { id, repo, pr, title, body, files, languages, now: asOf, before: asOf, ...judged };
}
