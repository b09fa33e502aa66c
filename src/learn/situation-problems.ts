// What is wrong with a situation: a sentence or two on what the code does and what is not there, told so that it is true of
// other code as well.
import { findIdentifier } from "./find-identifier.ts";
import { situationWords } from "./situation-words.ts";

/** A rule that a text breaks. */
export interface FieldProblem {
  /** Stable: it stands in memory, in counts and in the log. */
  readonly name: string;
  /** For whoever mends it. */
  readonly told: string;
}

/** Asked for: 25–60 words. A little more or less says the same. */
export const SITUATION_WORDS = { least: 20, most: 70 } as const;

/**
 * @param text on one line
 * @returns `too-short`, `too-long`, `advice-words`, `missing-structure`, `missing-pattern`, `missing-gap`, `identifier`: each
 *   at most once, in this order; [] for a good one
 */
export function situationProblems(text: string): readonly FieldProblem[] {
  const { least, most } = SITUATION_WORDS;
  const count = text.match(/\S+/g)?.length ?? 0;
  const { structure, pattern, gap, advice } = situationWords(text);
  const identifier = findIdentifier(text);
  const problems: (FieldProblem | false)[] = [
    count < least && { name: "too-short", told: `${count} words, and ${least} are the least` },
    count > most && { name: "too-long", told: `${count} words, and ${most} are the most` },
    advice.length > 0 && { name: "advice-words", told: `it gives advice: ${advice.slice(0, 5).join(", ")}` },
    structure.length === 0 && { name: "missing-structure", told: "no word says what of the code it is about" },
    pattern.length === 0 && { name: "missing-pattern", told: "no word says what the code does" },
    gap.length === 0 && { name: "missing-gap", told: "no word says what is missing, wrong or assumed" },
    identifier !== null && { name: "identifier", told: `it names something of this code: ${identifier}` },
  ];
  return problems.filter((problem) => problem !== false);
}
