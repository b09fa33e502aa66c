// Fixes JSON that a language model wrote almost right, and refuses if fixing would lose content.
import { jsonrepair } from "jsonrepair";

/** Longer texts are not fixed; the model is asked again. */
const MAX_CHARS = 200_000;

/**
 * The value of broken JSON (missing quotes and commas, comments, single quotes, Python's words), or null. Never throws. Also null if
 * the fixed value would lose content: an ellipsis that would vanish, or an empty list or object where the text has something else.
 * "Nothing found" must have been written to be read.
 *
 * @param text from its first bracket to the one that closes it
 */
export function repairJson(text: string): { readonly value: unknown } | null {
  if (text.length > MAX_CHARS) return null;
  const bare = withoutStrings(text);
  if (/\.\.\.|…/.test(bare)) return null;
  try {
    const value: unknown = JSON.parse(jsonrepair(text));
    return emptyOnes(value) > (bare.match(/\[\s*\]|\{\s*\}/g)?.length ?? 0) ? null : { value };
  } catch {
    return null;
  }
}

/** Replaces each string by `""`; an unclosed one ends the text. */
function withoutStrings(text: string): string {
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*(?:"|$)/gs, '""');
}

/** The number of empty lists and objects in a value. Deep values overflow the stack, which the caller catches. */
function emptyOnes(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Object.values(value);
  return inner.length === 0 ? 1 : inner.reduce<number>((sum, one) => sum + emptyOnes(one), 0);
}
