import type { EmbeddingSpace } from "../memory.ts";

/**
 * Vectors that an earlier model left in memory and that cannot be compared: one line for each
 * stored space other than the searched one, with the fix. A dimension of 0 is unknown; then the
 * model decides.
 */
export function staleEmbeddings(
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
