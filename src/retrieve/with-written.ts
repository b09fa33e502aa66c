// The queries that a model writes, where the configuration asks for them: about the patterns of a change, and a made-up
// situation. What it does not answer is told as degraded by the purse, and the change's own queries are asked alone.
import type { Knowledge } from "../config/knowledge.ts";
import type { MemoryRecord } from "../domain/memory.ts";
import type { QueryVariant, RetrievalQuery } from "../domain/retrieval.ts";
import type { ReviewSignals } from "../domain/signals.ts";
import { changeExcerpt, type ExcerptSubject } from "./change-excerpt.ts";
import { hypotheticalQuestion } from "./hypothetical.ts";
import { patternQuestion, type QueryLength } from "./pattern-queries.ts";
import type { Purse } from "./purse.ts";

export interface WrittenWish {
  readonly retrieval: Pick<Knowledge["retrieval"], "modelQueries" | "hypothetical" | "method">;
  /** Whether queries get vectors at all: without them nothing can be said to be like a made-up situation. */
  readonly isEmbedding: boolean;
  readonly length: QueryLength;
  /** Memories for the style of pattern queries; asked for when they are needed. */
  readonly examples: () => Promise<readonly Pick<MemoryRecord, "situation" | "text">[]>;
}

/** The query with variants of kind `pattern` and `hypothetical` behind its own; as it was when none is wished or answered. */
export async function withWritten(
  own: RetrievalQuery,
  { context, signals }: { readonly context: ExcerptSubject; readonly signals: ReviewSignals },
  { retrieval, isEmbedding, length, examples }: WrittenWish,
  { ask, name }: Purse,
): Promise<RetrievalQuery> {
  const isMadeUp = retrieval.hypothetical && retrieval.method !== "keyword" && isEmbedding;
  if (!retrieval.modelQueries && !isMadeUp) return own;
  const change = changeExcerpt(context, signals);
  const patterns = async (): Promise<readonly string[]> => {
    if (!retrieval.modelQueries) return [];
    const shown = name === null ? [] : await examples();
    return (await ask("model-queries", (delimiter) => patternQuestion(change, shown, delimiter, length))).value ?? [];
  };
  const situation = async (): Promise<readonly string[]> => {
    if (!isMadeUp) return [];
    const { value } = await ask("hypothetical", (delimiter) => hypotheticalQuestion(change, delimiter));
    return value === null ? [] : [value];
  };
  const [texts, situations] = await Promise.all([patterns(), situation()]);
  const written: readonly QueryVariant[] = [
    ...texts.map((text) => ({ kind: "pattern", text, path: null }) as const),
    ...situations.map((text) => ({ kind: "hypothetical", text, path: null }) as const),
  ];
  return { ...own, variants: [...own.variants, ...written] };
}
