// Whether two findings say the same thing about the same code.
import type { Finding } from "../../domain/finding.ts";
import { tokenise } from "../../domain/text/tokenise.ts";

/** Lines between two ranges; 0 when they meet. */
export function gapOf(a: Pick<Finding, "startLine" | "line">, b: Pick<Finding, "startLine" | "line">): number {
  return Math.max(0, a.startLine - b.line, b.startLine - a.line);
}

const MOST_WORD_CHARS = 4_000;

/**
 * Whether two findings are about the same thing: the share, 0–1, of the smaller set of words of
 * title and body that the other one contains.
 */
export function wordsInCommon(one: Pick<Finding, "title" | "body">, other: Pick<Finding, "title" | "body">): number {
  const [a, b] = [distinctTokens(one), distinctTokens(other)];
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let common = 0;
  for (const word of small) if (large.has(word)) common++;
  return small.size === 0 ? 0 : common / small.size;
}

/** The words of a finding as search compares them; read once, since each is compared with many. */
function distinctTokens(finding: Pick<Finding, "title" | "body">): ReadonlySet<string> {
  const words = known.get(finding) ?? new Set(tokenise(`${finding.title}\n${finding.body}`.slice(0, MOST_WORD_CHARS)));
  known.set(finding, words);
  return words;
}

const known = new WeakMap<object, ReadonlySet<string>>();
