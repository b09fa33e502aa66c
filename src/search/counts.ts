// How much is remembered in a scope, by language, corpus and outcome.
import type { Corpus, Outcome } from "../domain/memory.ts";
import type { MemoryCounts, Scope } from "../domain/retrieval.ts";
import { type IndexedRepository, visibleRows } from "./repository-index.ts";

/** The counts, each map in the order of its keys. */
export function countsOf(indexed: readonly IndexedRepository[], scope: Scope): MemoryCounts {
  const byLanguage = new Map<string, number>();
  const byCorpus = new Map<Corpus, number>();
  const byOutcome = new Map<Outcome | "none", number>();
  let total = 0;
  for (const { repository, index } of indexed) {
    const { inScope } = visibleRows(index, scope, {}, repository.isOwn);
    const rows = new Uint32Array(index.facets.length);
    for (let row = 0; row < inScope.length; row += 1) {
      const facet = index.facetOf[row] ?? 0;
      rows[facet] = (rows[facet] ?? 0) + (inScope[row] ?? 0);
    }
    index.facets.forEach(({ language, corpus, outcome }, facet) => {
      const n = rows[facet] ?? 0;
      if (n === 0) return;
      total += n;
      byLanguage.set(language, (byLanguage.get(language) ?? 0) + n);
      byCorpus.set(corpus, (byCorpus.get(corpus) ?? 0) + n);
      byOutcome.set(outcome ?? "none", (byOutcome.get(outcome ?? "none") ?? 0) + n);
    });
  }
  return { total, byLanguage: inOrder(byLanguage), byCorpus: inOrder(byCorpus), byOutcome: inOrder(byOutcome) };
}

function inOrder<Key extends string>(counts: ReadonlyMap<Key, number>): ReadonlyMap<Key, number> {
  return new Map([...counts].sort(([one], [other]) => (one < other ? -1 : 1)));
}
