// A change becomes what it asks memory: one text, and the several ways to ask.
import type { PullRequestContext } from "../domain/pull-request.ts";
import type { RetrievalQuery } from "../domain/retrieval.ts";
import type { ReviewSignals } from "../domain/signals.ts";
import { buildRetrievalQuery } from "./build-query.ts";
import { queryVariants } from "./query-variants.ts";
import type { Tuning } from "./tuning.ts";

/** The query of a change, with the kinds of variants that are asked for. */
export function changeQuery(
  context: PullRequestContext,
  signals: ReviewSignals,
  tuning: Pick<Tuning, "hunks" | "queryChars" | "variants">,
): RetrievalQuery {
  const { text, dropped } = buildRetrievalQuery(context, signals, { maxChars: tuning.queryChars });
  const variants = queryVariants(text, context, signals, tuning).filter(({ kind }) => tuning.variants.has(kind));
  return { text, dropped, variants };
}
