// Redacts each text of a value by itself: no text affects its neighbours.

/** Replaces every secret with a mark and keeps the number of lines. */
export type RedactText = (text: string) => Promise<string>;

/** Separates texts that are checked together; no secret spans it. */
const APART = "\n‹next text›\n";

/**
 * Returns the same value with its texts redacted; keys, numbers and shape stay. Lines of one text,
 * as a list of strings or as lines of a diff, are redacted together: a multi-line key is recognised
 * by its first line.
 *
 * @param value plain JSON: arrays and objects without cycles
 * @param isName whether all under a key stays as it is, because it is an identifier
 * @returns `value` itself when it holds no secret
 * @throws Error when `redact` changes the number of lines
 */
export async function redactTexts<T>(
  value: T,
  redact: RedactText,
  isName: (key: string) => boolean = () => false,
): Promise<T> {
  const texts = new Set<string>();
  visit(value, isName, (text) => {
    texts.add(text);
    return text;
  });
  // Most values hold no secret, and checking all of them costs little more than checking one.
  const all = [...texts].join(APART);
  if ((await redact(all)) === all) return value;
  const redacted = new Map<string, string>();
  for (const text of texts) redacted.set(text, await redact(text));
  return visit(value, isName, (text) => redacted.get(text) ?? text) as T;
}

function visit(value: unknown, isName: (key: string) => boolean, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const lines = linesOf(value);
    if (lines === null) return value.map((inner) => visit(inner, isName, change));
    const changed = changedLines(lines, change);
    return value.map((one, at) => (typeof one === "string" ? changed[at] : { ...one, text: changed[at] }));
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, isName(key) ? inner : visit(inner, isName, change)]),
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

/**
 * Keys of a review whose values are identifiers (a commit, a finding, a file of the pull request, a
 * comment; GitHub has them already), or words of ours. All others are redacted.
 */
const NAMES: ReadonlySet<string> = new Set(
  (
    "configUsed guidance alsoBy tags tools author id repo path paths reviewed headSha baseSha baseRef since fingerprint " +
    "findingId memoryId rule url file model part language outcome date decidedBy"
  ).split(" "),
);

/** Whether a key of a review holds an identifier. */
export function isReviewName(key: string): boolean {
  return NAMES.has(key);
}
