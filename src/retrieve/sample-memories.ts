// A few memories as examples: chosen by a hash, so that the same question about the same memory shows the same ones.
import { createHash } from "node:crypto";

/** Examples in a prompt. */
export const EXAMPLES = 5;

/**
 * At most `count` of the memories, in an order that the seed decides and their own order does not.
 *
 * @param seed another one, another sample
 */
export function sampleMemories<T extends { readonly id: string }>(
  memories: readonly T[],
  seed: string,
  count: number = EXAMPLES,
): readonly T[] {
  return memories
    .map((memory) => ({ memory, place: createHash("sha256").update(`${seed}\n${memory.id}`).digest("hex") }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .slice(0, count)
    .map(({ memory }) => memory);
}
