// Words from other review tools. Their keys are only pointed out; a few values are accepted as ours.
import { CONFIG_KEYS, CONFIG_SHAPE } from "./config-keys.ts";
import { didYouMean, plainWord } from "./did-you-mean.ts";

/**
 * Keys of CodeRabbit, Gemini Code Assist, PR-Agent, Kodus and Copilot → ours, spelt as `plainWord` spells them.
 * Source: the tools' public configuration references.
 */
const FOREIGN_KEYS: ReadonlyMap<string, string> = new Map([
  ["reviews", "review"],
  ["autoreview", "review"],
  ["codereview", "review"],
  ["pathfilter", "pathFilters"],
  ["ignorepatterns", "pathFilters"],
  ["ignorepaths", "pathFilters"],
  ["ignore", "pathFilters"],
  ["exclude", "pathFilters"],
  ["commentseveritythreshold", "review.severityThreshold"],
  ["severitylevelfilter", "review.severityThreshold"],
  ["minseverity", "review.severityThreshold"],
  ["maxreviewcomments", "review.maxComments"],
  ["nummaxfindings", "review.maxComments"],
  ["maxsuggestions", "review.maxComments"],
  ["maxfindings", "review.maxComments"],
  ["ignorewords", "review.ignoreTitleKeywords"],
  ["ignoretitles", "review.ignoreTitleKeywords"],
  ["targetbranches", "review.baseBranches"],
  ["includedrafts", "review.drafts"],
  ["reviewdrafts", "review.drafts"],
  ["strictness", "review.profile"],
  ["extends", "_extends"],
]);

/** Values of other tools that mean the same as one of ours; accepted with a notice. */
const SAME_VALUES: ReadonlyMap<string, string> = new Map([
  ["review.profile: chill", "quiet"],
  ["review.profile: assertive", "thorough"],
]);

/** Without the keys of list items: they are not meant outside of their list. */
const PATHS = CONFIG_KEYS.map((key) => key.path).filter((path) => !path.includes("[]"));
const BY_PLAIN_PATH = new Map(PATHS.map((path) => [plainWord(path), path]));
/** If several keys have one name (`enabled`), the first of the schema wins: the best-known keys come first. */
const BY_LAST_WORD = new Map(PATHS.toReversed().map((path) => [plainWord(path.split(".").at(-1) ?? ""), path]));

/**
 * Which of our keys an unknown key most likely means, as a dotted path: a sibling, another tool's word, ours in the wrong section,
 * a typo. Null when none is near.
 *
 * @param siblings the known keys of the same section
 * @param section dotted path of the key's section, "" for the root
 */
export function keyHint(key: string, siblings: readonly string[], section: string): string | null {
  const word = plainWord(key);
  const inSection = (name: string) => (section === "" ? name : `${section}.${name}`);
  const sibling = siblings.find((name) => plainWord(name) === word);
  if (sibling !== undefined) return inSection(sibling);
  const exact = FOREIGN_KEYS.get(word) ?? BY_PLAIN_PATH.get(word) ?? BY_LAST_WORD.get(word);
  if (exact !== undefined) return exact;
  const typo = didYouMean(key, siblings);
  if (typo !== null) return inSection(typo);
  const far = didYouMean(key, [...CONFIG_SHAPE.keys.keys(), ...BY_LAST_WORD.keys()]);
  return far === null ? null : (BY_LAST_WORD.get(far) ?? far);
}

/** Our value for another tool's word with the same meaning; null for any other word. */
export function sameValue(path: string, value: unknown): string | null {
  return SAME_VALUES.get(`${path}: ${String(value).toLowerCase()}`) ?? null;
}
