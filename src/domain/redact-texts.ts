// Every text of a value passes through one function, whatever the value's shape.

/** Puts a marker in the place of every secret and keeps the number of lines. */
export type RedactText = (text: string) => Promise<string>;

/**
 * The same value with its texts redacted; keys, numbers and shape stay.
 *
 * @param value plain JSON: arrays and objects without cycles
 * @param kept keys whose values stay as they are: names by which something is found again
 */
export async function redactTexts<T>(value: T, redact: RedactText, kept: ReadonlySet<string> = new Set()): Promise<T> {
  const texts: string[] = [];
  visit(value, kept, (text) => {
    texts.push(text);
    return text;
  });
  // One call for all: redaction keeps the number of lines, so each text is found again by its own.
  const before = texts.join("\n");
  const after = await redact(before);
  if (after === before) return value;
  const lines = after.split("\n");
  let from = 0;
  return visit(value, kept, (text) => {
    const count = text.split("\n").length;
    from += count;
    return lines.slice(from - count, from).join("\n");
  }) as T;
}

function visit(value: unknown, kept: ReadonlySet<string>, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((inner) => visit(inner, kept, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, kept.has(key) ? inner : visit(inner, kept, change)]),
  );
}
