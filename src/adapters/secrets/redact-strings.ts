// Hides secrets in every text of a value, whatever its shape.
import type { SecretRedactor } from "./redact.ts";

/**
 * The same value with its texts redacted; keys, numbers and shape stay.
 *
 * @param value plain JSON: arrays and objects without cycles
 */
export async function redactStrings<T>(value: T, redactor: SecretRedactor): Promise<T> {
  const texts: string[] = [];
  visit(value, (text) => {
    texts.push(text);
    return text;
  });
  // One call for all: redaction keeps the number of lines, so each text is found again by its own.
  const { text, found } = await redactor.redact(texts.join("\n"));
  if (found.length === 0) return value;
  const lines = text.split("\n");
  let from = 0;
  return visit(value, (before) => {
    const count = before.split("\n").length;
    from += count;
    return lines.slice(from - count, from).join("\n");
  }) as T;
}

function visit(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((inner) => visit(inner, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, visit(inner, change)]));
}
