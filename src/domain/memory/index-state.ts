import type { EmbeddingSpace } from "../memory.ts";

/** `off`: not opened; `cold`: the search thread does not run; `warming`: being read; `warm`: as much is read as is wanted. */
export interface MemoryWarmth {
  readonly state: "off" | "cold" | "warming" | "warm";
  /** Repositories and memories that are held for searching. */
  readonly repositories: number;
  readonly rows: number;
  /** What they take, and may take, for searching by words and by vectors together; absent before the threads have told. */
  readonly bytes?: number;
  readonly limitBytes?: number;
}

// Vectors of one embedder say nothing to another: what stands in memory from before a change of model, and what it means.

/**
 * One line for each space that holds vectors and is not the one that is searched: how many memories only words find, and
 * the fix. A dimension of 0 is one that is not known yet; then the model decides.
 */
export function otherSpaces(
  stored: readonly (EmbeddingSpace & { readonly vectors: number })[],
  own: EmbeddingSpace,
): readonly string[] {
  const isOwn = ({ model, dimension }: EmbeddingSpace) =>
    model === own.model && (dimension === own.dimension || own.dimension === 0);
  return stored
    .filter((space) => !isOwn(space))
    .map(
      ({ model, dimension, vectors }) =>
        `${vectors} memories were embedded by ${model} with ${dimension} numbers and are found by words only; ` +
        `${own.model}${own.dimension === 0 ? "" : ` with ${own.dimension}`} is searched: import or index them again, or set the model back`,
    );
}
