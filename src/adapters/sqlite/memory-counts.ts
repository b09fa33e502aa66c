// How much is remembered in a scope, by language, corpus and outcome: from memory where the rows are there already, since
// SQLite takes a microsecond a row and every review asks.
import type { Corpus, Outcome } from "../../domain/memory.ts";
import type { MemoryCounts, Scope } from "../../domain/retrieval.ts";
import type { Database } from "./database.ts";
import { prepared } from "./prepared.ts";
import { type SeenRows, seenRows } from "./row-mask.ts";
import { scopeSql } from "./scope-sql.ts";
import type { Segment } from "./segment.ts";
import type { AdmittedRepository, Shelves } from "./shelves.ts";

interface Group {
  readonly language: string;
  readonly corpus: Corpus;
  readonly outcome: Outcome | "none";
  readonly n: number;
}

/** By a scan of the file. */
export function countsInFile(db: Database.Database, scope: Scope): MemoryCounts {
  const { rows, values } = scopeSql(scope);
  const groups = prepared(
    db,
    `SELECT r.language, r.corpus, coalesce(r.outcome, 'none') AS outcome, count(*) AS n
       FROM repositories p CROSS JOIN records r ON r.repo = p.id WHERE ${rows} GROUP BY 1, 2, 3`,
  ).all(values) as Group[];
  return countsOf(groups);
}

/** By the rows in memory; the same figures. */
export function countsInMemory(
  scope: Scope,
  repositories: readonly AdmittedRepository[],
  shelves: Shelves,
): MemoryCounts {
  const groups = repositories.flatMap((repository) =>
    shelves.segments(repository).flatMap((segment) => groupsOf(segment, seenRows(segment, scope, {}, repository))),
  );
  return countsOf(groups);
}

function groupsOf(segment: Segment, { mask }: SeenRows): Group[] {
  const counts = new Uint32Array(segment.facets.length);
  for (let row = 0; row < mask.length; row += 1) {
    const facet = segment.facetOf[row] ?? 0;
    if (mask[row] !== 0) counts[facet] = (counts[facet] ?? 0) + 1;
  }
  return segment.facets.flatMap(({ language, corpus, outcome }, facet) => {
    const n = counts[facet] ?? 0;
    return n === 0 ? [] : [{ language, corpus, outcome: outcome ?? "none", n }];
  });
}

function countsOf(groups: readonly Group[]): MemoryCounts {
  const byLanguage = new Map<string, number>();
  const byCorpus = new Map<Corpus, number>();
  const byOutcome = new Map<Outcome | "none", number>();
  let total = 0;
  for (const { language, corpus, outcome, n } of groups.toSorted(inOrder)) {
    total += n;
    byLanguage.set(language, (byLanguage.get(language) ?? 0) + n);
    byCorpus.set(corpus, (byCorpus.get(corpus) ?? 0) + n);
    byOutcome.set(outcome, (byOutcome.get(outcome) ?? 0) + n);
  }
  return { total, byLanguage, byCorpus, byOutcome };
}

function inOrder(one: Group, other: Group): number {
  return (
    compared(one.language, other.language) || compared(one.corpus, other.corpus) || compared(one.outcome, other.outcome)
  );
}

function compared(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
