// Matching by several texts at once: they are of one change, and share words.
import type { KeywordHit, MemoryFilter, Scope } from "../../domain/retrieval.ts";
import type { Recall, TellDegraded } from "../../ports/memory.ts";
import { askedTogether } from "./asked-together.ts";

type Question = [scope: Scope, texts: readonly string[], k: number, filter: MemoryFilter];
type Common = readonly [Question[0], Question[2], Question[3]];

/** `matching` over `matchingAll`: what is asked in one turn of the event loop with the same scope, k and filter goes in one question. */
export function matchingTogether(
  matchingAll: (question: Question, tell: TellDegraded) => Promise<readonly (readonly KeywordHit[])[]>,
): Recall["matching"] {
  const ask = askedTogether((texts: readonly string[], [scope, k, filter]: Common, tell) =>
    matchingAll([scope, texts, k, filter], tell),
  );
  return async (scope, text, k, filter, tell) => (await ask(text, [scope, k, filter], tell)) ?? [];
}
