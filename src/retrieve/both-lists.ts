// What each query finds by meaning and by words, asked of memory at the same time where both will be wanted.
import type { KeywordHit, QueryVariant, VectorHit } from "../domain/retrieval.ts";
import type { QueryCandidates } from "./fuse.ts";

export interface ListsOf {
  readonly method: "semantic" | "keyword" | "hybrid";
  /** Of the query at a position; null when it has no vector or could not be asked. */
  readonly nearest: (at: number) => Promise<readonly VectorHit[] | null> | null;
  readonly matching: (text: string) => Promise<readonly KeywordHit[]>;
}

/** Both lists of each query. Without a single list of nearest memories, words must do whatever the method. */
export async function bothLists(
  variants: readonly QueryVariant[],
  { method, nearest, matching }: ListsOf,
): Promise<{ readonly queries: readonly QueryCandidates[]; readonly noVectors: boolean }> {
  const asked = Promise.all(variants.map((_, at) => nearest(at)));
  const byWords = () => Promise.all(variants.map(({ text }) => matching(text)));
  const soon = method === "semantic" ? null : byWords();
  const near = await asked;
  const noVectors = near.every((list) => list === null);
  const words = soon ?? (noVectors ? byWords() : null);
  const matched = (await words) ?? [];
  const queries = variants.map((variant, at) => ({ variant, nearest: near[at] ?? [], matching: matched[at] ?? [] }));
  return { queries, noVectors };
}
