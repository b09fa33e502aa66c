// Whether two findings speak about the same thing, as far as their words tell.
import type { Finding } from "../domain/finding.ts";
import { tokenise } from "../domain/text/tokenise.ts";

const MOST_WORD_CHARS = 4_000;

/** Share of the smaller set of words of title and body that the other one holds, 0–1. */
export function wordsInCommon(one: Pick<Finding, "title" | "body">, other: Pick<Finding, "title" | "body">): number {
  const [a, b] = [wordsOf(one), wordsOf(other)];
  const smaller = Math.min(a.size, b.size);
  if (smaller === 0) return 0;
  return [...a].filter((word) => b.has(word)).length / smaller;
}

function wordsOf({ title, body }: Pick<Finding, "title" | "body">): ReadonlySet<string> {
  return new Set(tokenise(`${title}\n${body}`.slice(0, MOST_WORD_CHARS)));
}
