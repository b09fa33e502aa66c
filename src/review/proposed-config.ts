// The configuration that a pull request proposes is not in force while it is reviewed, but what is wrong with it can be
// mended before the merge and not after.
import { parseConfig } from "../config/parse-config.ts";
import type { ConfigProblem } from "../config/repo-config.ts";

/**
 * What is wrong with the file as the pull request leaves it, at its lines of the head. Rule ids are not known here.
 *
 * @param text the file at the head; undefined where the pull request does not change it or its text is not known
 * @returns null for undefined
 */
export function proposedProblems(path: string, text: string | undefined): readonly ConfigProblem[] | null {
  return text === undefined ? null : parseConfig([{ file: path, text }]).problems;
}
