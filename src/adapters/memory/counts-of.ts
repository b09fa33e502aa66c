// Counts by language, corpus and outcome together to the counts of a scope.
import type { Corpus, Outcome } from "../../domain/memory.ts";
import type { MemoryCounts } from "../../domain/retrieval.ts";

/** How many memories have all three. */
export interface Group {
  readonly language: string;
  readonly corpus: Corpus;
  readonly outcome: Outcome | "none";
  readonly n: number;
}

/** The sums, in an order that does not depend on the order of the groups. */
export function countsOf(groups: readonly Group[]): MemoryCounts {
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
