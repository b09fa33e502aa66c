// Memories about the code of a rule's finding, by words: comments on
// `subprocess.run(…, shell=True)` name both, and so does the line that the rule found.

import type { Finding } from "../../domain/finding.ts";
import { decidedText } from "../../domain/memory/evidence.ts";
import { quoteOf } from "../../domain/memory/precedent-section.ts";
import type { Precedents, RankedMemory } from "../../domain/retrieval.ts";
import type { ReviewMemory } from "../../domain/review.ts";
import { isoDate } from "../../domain/text/iso-date.ts";

/** Memories of one finding. */
const MOST = 2;
/** Least number of code words that a comment shares with the lines of a finding. */
const LEAST_SHARED = 2;

const WORD = /[A-Za-z_][A-Za-z0-9_]{3,}/g;
/** Words of most code or most sentences. */
const COMMON = new Set(
  (
    "async await bool boolean break case catch class const continue data default else error export extends false final finally float " +
    "from func function have import interface into itself line list name none null number object package private public return " +
    "self static string struct super switch text than that them then there they this throw throws true type undefined value void when " +
    "where which while will with your"
  ).split(" "),
);

/**
 * Adds earlier comments on the same code to findings of rules, ours and other tools', best first.
 *
 * @param ranked the memories found for this change, best first
 * @param headTexts whole head files by path; a finding in any other file gets nothing
 */
export function withRememberedAbout(
  findings: readonly Finding[],
  ranked: readonly RankedMemory[],
  headTexts: ReadonlyMap<string, string>,
): readonly Finding[] {
  if (ranked.length === 0) return findings;
  const texts = new Map<string, readonly string[]>();
  const wordsOf = new Map(ranked.map((memory) => [memory, codeWords(memory.record.text)]));
  return findings.map((finding) => {
    if (finding.rule === null || finding.side === "LEFT") return finding;
    const lines = texts.get(finding.path) ?? headTexts.get(finding.path)?.split("\n") ?? [];
    texts.set(finding.path, lines);
    const words = codeWords(lines.slice(finding.startLine - 1, finding.line).join("\n"));
    const about = ranked
      .filter((memory) => isAbout(memory, finding, words, wordsOf.get(memory) ?? words))
      .slice(0, MOST);
    return { ...finding, precedents: [...finding.precedents, ...about.map(asPrecedent)] };
  });
}

/** Comments of people match by their words; answered findings of ours by their title. */
function isAbout(
  { record }: RankedMemory,
  { title }: Finding,
  words: ReadonlySet<string>,
  memoryWords: ReadonlySet<string>,
): boolean {
  if (record.sharing === "pattern") return false;
  if (record.corpus === "finding") {
    const isAnswered = record.outcome !== null && record.outcome !== "posted" && record.outcome !== "outdated";
    return isAnswered && record.text.startsWith(`${title}\n`);
  }
  if (record.corpus !== "review_comment") return false;
  return [...memoryWords].filter((word) => words.has(word)).length >= LEAST_SHARED;
}

/** Names of code in a text, in lower case, without the words of most code or most sentences. */
function codeWords(text: string): ReadonlySet<string> {
  const words = [...text.matchAll(WORD)].map(([word]) => word.toLowerCase());
  return new Set(words.filter((word) => !COMMON.has(word)));
}

/** What the ledger and the JSON hold: enough to quote and to count, without the texts. */
export function reviewMemory({ gate, ranked, seenBefore }: Precedents): ReviewMemory {
  return { gate, precedents: ranked.map(asPrecedent), seenBefore };
}

function asPrecedent({ record, distance }: RankedMemory): ReviewMemory["precedents"][number] {
  return {
    id: record.id,
    url: record.provenance.url,
    outcome: record.outcome ?? "unknown",
    ...(record.decided ? { decided: decidedText(record.decided) } : {}),
    date: isoDate(record.provenance.at),
    ...quoteOf(record),
    similarity: distance === null ? 0 : Math.min(1, Math.max(0, 1 - distance)),
  };
}
