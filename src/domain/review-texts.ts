// Which texts of a review quote others, and so may hold a secret.
import type { TextKind } from "./redact-texts.ts";
import type { Review } from "./review.ts";

/** Keys at any depth whose value is text that is not one of a closed set of words, or a list of such texts. */
type TextKey<T> = T extends readonly (infer Item)[]
  ? TextKey<Item>
  : T extends object
    ? { [Key in keyof T & string]-?: (true extends IsText<T[Key]> ? Key : never) | TextKey<T[Key]> }[keyof T & string]
    : never;
type IsText<Value> = Value extends string
  ? string extends Value
    ? true
    : false
  : Value extends readonly (infer Item)[]
    ? IsText<Item>
    : false;

/**
 * `prose` is written by others or quotes them. A `name` is one by which something is found again (a commit, a finding, a file
 * of the pull request, a comment; GitHub has them already), or a word of ours. Closed sets of words, as severities, are neither.
 */
const TEXTS: Readonly<Record<TextKey<Omit<Review, "repo">>, Exclude<TextKind, "other">>> = {
  title: "prose",
  body: "prose",
  text: "prose",
  reason: "prose",
  summary: "prose",
  message: "prose",
  because: "prose",
  hunk: "prose",
  walkthrough: "prose",
  subject: "prose",
  scope: "prose",
  otherType: "prose",
  focusAreas: "prose",
  keyword: "prose",
  packageName: "prose",
  name: "prose",
  from: "prose",
  to: "prose",
  saidTo: "prose",
  range: "prose",
  patched: "prose",
  tag: "prose",
  lines: "prose",
  broken: "prose",
  missing: "prose",
  what: "prose",
  where: "prose",
  decided: "prose",
  key: "prose",
  value: "prose",
  id: "name",
  repo: "name",
  path: "name",
  reviewed: "name",
  headSha: "name",
  baseSha: "name",
  sha: "name",
  since: "name",
  fingerprint: "name",
  findingId: "name",
  memoryId: "name",
  rule: "name",
  url: "name",
  file: "name",
  origin: "name",
  repository: "name",
  model: "name",
  part: "name",
  language: "name",
  ecosystem: "name",
  outcome: "name",
  date: "name",
  decidedBy: "name",
};

/** What a key of a review holds; `other` has no text of its own, or words of a closed set. */
export function reviewTextKind(key: string): TextKind {
  return Object.hasOwn(TEXTS, key) ? TEXTS[key as keyof typeof TEXTS] : "other";
}
