// Breaks ties without favouring the first list, the oldest memory, or the alphabet.
import { fnv1a } from "../../domain/text/hash.ts";

/**
 * Compares two scored things: higher score first; equal scores by a hash of the id, so that the order is the same on
 * every machine and independent of where a candidate came from.
 */
export function byScore(
  a: { readonly id: string; readonly score: number },
  b: { readonly id: string; readonly score: number },
): number {
  return b.score - a.score || fnv1a(a.id) - fnv1a(b.id) || (a.id < b.id ? -1 : Number(a.id > b.id));
}
