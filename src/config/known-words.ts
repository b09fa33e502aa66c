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

/** Known elsewhere, without a counterpart here. */
const UNSUPPORTED_KEYS: ReadonlySet<string> = new Set([
  "pathinstructions",
  "instructions",
  "toneinstructions",
  "tone",
  "language",
  "knowledgebase",
  "chat",
]);

/** Values of other tools that mean the same as one of ours, by key; accepted with a notice. */
const SAME_VALUES: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [
    "review.profile",
    new Map([
      ["chill", "quiet"],
      ["assertive", "thorough"],
    ]),
  ],
]);

/** Values that are similar enough for a "did you mean", but not accepted. */
const NEAR_VALUES: ReadonlyMap<string, string> = new Map([
  ["minimal", "quiet"],
  ["strict", "thorough"],
  ["blocker", "critical"],
  ["high", "major"],
  ["error", "major"],
  ["warning", "medium"],
  ["low", "minor"],
  ["info", "minor"],
  ["none", "off"],
  ["disabled", "off"],
  ["false", "off"],
  ["off", "false"],
  ["no", "false"],
  ["yes", "true"],
  ["on", "true"],
  ["js", "javascript"],
  ["ts", "typescript"],
  ["py", "python"],
  ["golang", "go"],
]);

/** What to report about an unknown key. */
export type Hint =
  | { readonly kind: "ours"; readonly path: string }
  | { readonly kind: "unsupported" }
  | { readonly kind: "none" };

/** Without the keys of list items: they are not meant outside of their list. */
const PATHS = CONFIG_KEYS.map((key) => key.path).filter((path) => !path.includes("[]"));
const BY_PLAIN_PATH = new Map(PATHS.map((path) => [plainWord(path), path]));
/** If several keys have one name (`enabled`), the first of the schema wins: the best-known keys come first. */
const BY_LAST_WORD = new Map(PATHS.toReversed().map((path) => [plainWord(path.split(".").at(-1) ?? ""), path]));

/**
 * Which of our keys an unknown key most likely means: a sibling, another tool's word, ours in the wrong section, a typo.
 *
 * @param siblings the known keys of the same section
 * @param section dotted path of the key's section, "" for the root
 */
export function keyHint(key: string, siblings: readonly string[], section: string): Hint {
  const word = plainWord(key);
  const inSection = (name: string) => (section === "" ? name : `${section}.${name}`);
  const sibling = siblings.find((name) => plainWord(name) === word);
  if (sibling !== undefined) return { kind: "ours", path: inSection(sibling) };
  if (UNSUPPORTED_KEYS.has(word)) return { kind: "unsupported" };
  const exact = FOREIGN_KEYS.get(word) ?? BY_PLAIN_PATH.get(word) ?? BY_LAST_WORD.get(word);
  if (exact !== undefined) return { kind: "ours", path: exact };
  const typo = didYouMean(key, siblings);
  if (typo !== null) return { kind: "ours", path: inSection(typo) };
  const far = didYouMean(key, [...CONFIG_SHAPE.keys.keys(), ...BY_LAST_WORD.keys()]);
  return far === null ? { kind: "none" } : { kind: "ours", path: BY_LAST_WORD.get(far) ?? far };
}

/** Our value for another tool's word with the same meaning; null for any other word. */
export function sameValue(path: string, value: unknown): string | null {
  return typeof value === "string" ? (SAME_VALUES.get(path)?.get(value.toLowerCase()) ?? null) : null;
}

/** The choice that a wrong value most likely means; null when none is near. */
export function valueHint(value: unknown, choices: readonly string[]): string | null {
  const word = String(value).slice(0, 100);
  const near = NEAR_VALUES.get(word.toLowerCase());
  return near !== undefined && choices.includes(near) ? near : didYouMean(word, choices);
}
