import { parseConfig } from "../config/parse-config.ts";
import { CONFIG_FILE } from "../config/read-yaml.ts";
import type { ConfigProblem } from "../config/repo-config.ts";

/**
 * Problems of the configuration that the pull request proposes, at its lines of the head: it is not
 * in effect yet, but can be fixed before the merge. Rule ids are not checked here.
 *
 * @returns none when the pull request does not change it or its text is unknown
 */
export function proposedProblems(headTexts: ReadonlyMap<string, string>): readonly ConfigProblem[] {
  const text = headTexts.get(CONFIG_FILE);
  return text === undefined ? [] : parseConfig([{ file: CONFIG_FILE, text }]).problems;
}
