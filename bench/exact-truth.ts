// What recall is held against: the nearest rows by exact cosine, worked out block by block for all
// questions at once, because a million vectors take 4 GB.
import { batchesOf, type Stored } from "./engines/engine.ts";

/** Rows that recall is taken of. */
export const NEAREST = 20;
/** Rows that are held while every question is put to them. */
const BLOCK = 2_048;

export interface Truth {
  /** Numbers of the nearest rows, nearest first. */
  readonly nearest: readonly number[];
  /** Of one language. */
  readonly ofLanguage: readonly number[];
}

/**
 * @param questions unit vectors, each with the language that it is asked in as well; the truths
 * come in their order
 */
export function exactTruths(
  stored: Stored,
  questions: readonly { readonly vector: Float32Array; readonly language: string }[],
): readonly Truth[] {
  const { rows, dimension, languages } = stored;
  const open = questions.map((question) => ({ ...question, nearest: topRows(), ofLanguage: topRows() }));
  for (const [first, count] of batchesOf(rows, BLOCK)) {
    const vectors = stored.vectors(first, count);
    for (const { vector, language, nearest, ofLanguage } of open) {
      for (let at = 0; at < count; at += 1) {
        const cosine = dot(vectors, at * dimension, vector);
        nearest.offer(first + at, cosine);
        if (languages[first + at] === language) ofLanguage.offer(first + at, cosine);
      }
    }
  }
  return open.map(({ nearest, ofLanguage }) => ({ nearest: nearest.rows(), ofLanguage: ofLanguage.rows() }));
}

/** Of the row that begins at `from`. */
export function dot(vectors: Float32Array, from: number, query: Float32Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = 0, at = from; i < query.length; i += 4, at += 4) {
    a += (vectors[at] ?? 0) * (query[i] ?? 0);
    b += (vectors[at + 1] ?? 0) * (query[i + 1] ?? 0);
    c += (vectors[at + 2] ?? 0) * (query[i + 2] ?? 0);
    d += (vectors[at + 3] ?? 0) * (query[i + 3] ?? 0);
  }
  return a + b + c + d;
}

function topRows() {
  const best: { readonly row: number; readonly cosine: number }[] = [];
  let least = Number.NEGATIVE_INFINITY;
  return {
    offer(row: number, cosine: number): void {
      if (cosine <= least) return;
      const place = best.findIndex((other) => other.cosine < cosine);
      best.splice(place === -1 ? best.length : place, 0, { row, cosine });
      if (best.length > NEAREST) best.pop();
      if (best.length === NEAREST) least = best.at(-1)?.cosine ?? least;
    },
    rows: () => best.map(({ row }) => row),
  };
}
