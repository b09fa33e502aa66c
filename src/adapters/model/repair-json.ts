// Fixes JSON that a language model wrote almost right, and refuses where fixing would lose what it said.
import { jsonrepair } from "jsonrepair";

/** Longer texts are not fixed: a model that writes so much is asked again. */
const MAX_CHARS = 200_000;

/**
 * The value of broken JSON (missing quotes and commas, comments, single quotes, Python's words), or null. Never throws.
 * Null as well where the fixed value says less than the text: an ellipsis that would vanish, and an empty list or object
 * where the text holds something else: "nothing found" must have been written to be read.
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

/** Each string becomes `""`; one that is not closed ends the text. */
function withoutStrings(text: string): string {
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*(?:"|$)/gs, '""');
}

/** How many empty lists and objects a value holds. Deep values overflow the stack, which the caller catches. */
function emptyOnes(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Object.values(value);
  return inner.length === 0 ? 1 : inner.reduce<number>((sum, one) => sum + emptyOnes(one), 0);
}
