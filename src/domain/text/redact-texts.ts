// Redacts each text of a value by itself: no text affects its neighbours.
import type { Review } from "../review.ts";

/** Replaces every secret with a mark and keeps the number of lines. */
export type RedactText = (text: string) => Promise<string>;

/** `prose` is redacted, `name` skipped with all under it, `other` searched for prose. */
type TextKind = "prose" | "name" | "other";

/** Separates texts that are checked together; no secret spans it. */
const APART = "\n‹next text›\n";

/**
 * Returns the same value with its texts redacted; keys, numbers and shape stay. Lines of one text,
 * as a list of strings or as lines of a diff, are redacted together: a multi-line key is recognised
 * by its first line.
 *
 * @param value plain JSON: arrays and objects without cycles
 * @param kindOf the kind of the value under a key; without it all texts are prose
 * @returns `value` itself when it holds no secret
 * @throws Error when `redact` changes the number of lines
 */
export async function redactTexts<T>(
  value: T,
  redact: RedactText,
  kindOf: (key: string) => TextKind = () => "prose",
): Promise<T> {
  const texts = new Set<string>();
  visit(value, "prose", kindOf, (text) => {
    texts.add(text);
    return text;
  });
  // Most values hold no secret, and checking all of them costs little more than checking one.
  const all = [...texts].join(APART);
  if ((await redact(all)) === all) return value;
  const redacted = new Map<string, string>();
  for (const text of texts) redacted.set(text, await redact(text));
  return visit(value, "prose", kindOf, (text) => redacted.get(text) ?? text) as T;
}

function visit(
  value: unknown,
  kind: TextKind,
  kindOf: (key: string) => TextKind,
  change: (text: string) => string,
): unknown {
  if (typeof value === "string") return kind === "prose" ? change(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const lines = linesOf(value);
    if (lines === null) return value.map((inner) => visit(inner, kind, kindOf, change));
    if (kind !== "prose") return value;
    const changed = changedLines(lines, change);
    return value.map((one, at) => (typeof one === "string" ? changed[at] : { ...one, text: changed[at] }));
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const inside = kindOf(key);
      return [key, inside === "name" ? inner : visit(inner, inside, kindOf, change)];
    }),
  );
}

/** The lines of one text: strings, or numbered lines of a diff; null for any other list. */
function linesOf(list: readonly unknown[]): readonly string[] | null {
  if (list.length === 0) return null;
  if (list.every((one) => typeof one === "string")) return list;
  return list.every(isDiffLine) ? list.map(({ text }) => text) : null;
}

function isDiffLine(value: unknown): value is { readonly text: string } {
  if (typeof value !== "object" || value === null) return false;
  return "newLine" in value && "text" in value && typeof value.text === "string";
}

function changedLines(lines: readonly string[], change: (text: string) => string): readonly string[] {
  const before = lines.join("\n");
  const after = change(before);
  if (after === before) return lines;
  const rows = after.split("\n");
  if (rows.length !== before.split("\n").length) throw new Error("redaction changed the number of lines of a text");
  let from = 0;
  return lines.map((line) => {
    const count = line.split("\n").length;
    from += count;
    return rows.slice(from - count, from).join("\n");
  });
}

/** Keys at any depth whose value is free text, or a list of such texts. */
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
 * `prose` is written by others or quotes them. A `name` is an identifier (a commit, a finding, a
 * file of the pull request, a comment; GitHub has them already), or a word of ours. Closed sets of
 * words, such as severities, are neither.
 */
const TEXTS: Readonly<Record<TextKey<Omit<Review, "repo">>, Exclude<TextKind, "other">>> = {
  title: "prose",
  body: "prose",
  text: "prose",
  reason: "prose",
  message: "prose",
  because: "prose",
  hunk: "prose",
  walkthrough: "prose",
  configUsed: "name",
  subject: "prose",
  scope: "prose",
  otherType: "prose",
  focusAreas: "prose",
  keyword: "prose",
  packageName: "prose",
  name: "prose",
  from: "prose",
  to: "prose",
  decided: "prose",
  quote: "prose",
  guidance: "name",
  alsoBy: "name",
  tags: "name",
  tools: "name",
  author: "name",
  key: "prose",
  id: "name",
  repo: "name",
  path: "name",
  paths: "name",
  reviewed: "name",
  headSha: "name",
  baseSha: "name",
  baseRef: "name",
  since: "name",
  fingerprint: "name",
  findingId: "name",
  memoryId: "name",
  rule: "name",
  url: "name",
  file: "name",
  model: "name",
  part: "name",
  language: "name",
  outcome: "name",
  date: "name",
  decidedBy: "name",
};

/** The kind of a key of a review; `other` has no text of its own, or words of a closed set. */
export function reviewTextKind(key: string): TextKind {
  return Object.hasOwn(TEXTS, key) ? TEXTS[key as keyof typeof TEXTS] : "other";
}
