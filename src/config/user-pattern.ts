// Regular expressions from the configuration. RE2 runs any pattern in time linear in the text.

import { RE2JS } from "re2js";
import { cutText } from "../domain/text/cut-text.ts";

/** Longer patterns are refused: they are unreadable, and each costs memory. */
export const PATTERN_LENGTH = 500;
/** More patterns than this in one list are refused. */
export const PATTERN_COUNT = 200;
/** RE2 instructions of one pattern. `a{1000}` has about a thousand; nested repetition multiplies and is refused here. */
const PROGRAM_SIZE = 2_000;

interface UserPattern {
  readonly source: string;
  /** True when the pattern occurs anywhere in the text. Never throws. */
  readonly matches: (text: string) => boolean;
}

/**
 * Compiles a pattern in RE2 syntax, without regard to case.
 *
 * @returns the pattern, or what is wrong with it in one sentence fragment; never throws
 */
export function userPattern(source: string): UserPattern | { readonly problem: string } {
  if (source.length > PATTERN_LENGTH) return { problem: `is longer than ${PATTERN_LENGTH} characters` };
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(source), RE2JS.CASE_INSENSITIVE);
    if (compiled.programSize() > PROGRAM_SIZE) return { problem: "repeats too much; write it with smaller counts" };
    return { source, matches: (text) => compiled.test(text) };
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : "it cannot be read";
    return { problem: `is not a regular expression of RE2: ${cutText(why, 200)}` };
  }
}
