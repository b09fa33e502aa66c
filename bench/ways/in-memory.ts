// In this process's memory: every vector in a Float32Array (exact: what recall is held against), Orama, minisearch.
import { tokenise } from "../../src/domain/tokenise.ts";
import type { Maker, Stored } from "./way.ts";

export const float32Array: Maker = {
  name: "Float32Array scan",
  needs: null,
  mostRows: { rows: 250_000, why: "4 GB of vectors at a million" },
  make: (stored) =>
    Promise.resolve({
      filters: true,
      nearest: (vector, k, language) => exactNearest(stored, vector, k, language),
      diskBytes: null,
      close: () => {},
    }),
};

/** Numbers of the k nearest rows by exact cosine of unit vectors, nearest first. */
export function exactNearest(
  { rows, vectors, dimension, languages }: Stored,
  query: Float32Array,
  k: number,
  language: string | null,
): number[] {
  const distances = new Float64Array(rows);
  for (let row = 0, at = 0; row < rows; row += 1) {
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let i = 0; i < dimension; i += 4, at += 4) {
      a += (vectors[at] ?? 0) * (query[i] ?? 0);
      b += (vectors[at + 1] ?? 0) * (query[i + 1] ?? 0);
      c += (vectors[at + 2] ?? 0) * (query[i + 2] ?? 0);
      d += (vectors[at + 3] ?? 0) * (query[i + 3] ?? 0);
    }
    distances[row] = language === null || languages[row] === language ? 1 - (a + b + c + d) : 9;
  }
  const kth = distances.toSorted()[k - 1] ?? 9;
  const near: number[] = [];
  distances.forEach((distance, row) => {
    if (distance <= kth) near.push(row);
  });
  return near.sort((one, other) => (distances[one] ?? 0) - (distances[other] ?? 0)).slice(0, k);
}

/** As much of Orama as is used here: types that would need the package must not be needed without it. */
interface Orama {
  create(of: { readonly schema: Readonly<Record<string, string>> }): object;
  insertMultiple(db: object, documents: readonly object[], batch: number): Promise<unknown>;
  search(db: object, asked: object): Promise<{ readonly hits: readonly { readonly id: string }[] }>;
}

export const orama: Maker = {
  name: "Orama",
  needs: "@orama/orama",
  mostRows: { rows: 100_000, why: "2 GB at a hundred thousand" },
  async make({ rows, vectors, dimension, texts, languages }) {
    const name: string = "@orama/orama";
    const { create, insertMultiple, search } = (await import(name)) as Orama;
    const db = create({ schema: { text: "string", language: "enum", e: `vector[${dimension}]` } });
    const batch = 1_000;
    for (let first = 0; first < rows; first += batch) {
      const documents = Array.from({ length: Math.min(batch, rows - first) }, (_, at) => ({
        id: String(first + at),
        text: tokenise(texts[first + at] ?? "").join(" "),
        language: languages[first + at] ?? "",
        e: Array.from(vectors.subarray((first + at) * dimension, (first + at + 1) * dimension)),
      }));
      await insertMultiple(db, documents, batch);
    }
    const ids = (found: { readonly hits: readonly { readonly id: string }[] }) =>
      found.hits.map(({ id }) => Number(id));
    return {
      filters: true,
      async nearest(vector, k, language) {
        const where = language === null ? {} : { where: { language: { eq: language } } };
        const asked = { mode: "vector", vector: { value: Array.from(vector), property: "e" }, similarity: 0 } as const;
        return ids(await search(db, { ...asked, ...where, limit: k }));
      },
      matching: async (text, k) => ids(await search(db, { term: tokenise(text).join(" "), threshold: 1, limit: k })),
      diskBytes: null,
      close: () => {},
    };
  },
};

interface MiniSearch {
  addAll(documents: readonly object[]): void;
  search(text: string): readonly { readonly id: number }[];
}

export const minisearch: Maker = {
  name: "minisearch",
  needs: "minisearch",
  mostRows: { rows: 100_000, why: "8 GB at a million" },
  async make({ rows, texts }) {
    const name: string = "minisearch";
    const { default: Words } = (await import(name)) as { readonly default: new (of: object) => MiniSearch };
    const words = new Words({ fields: ["text"], tokenize: tokenise, processTerm: (term: string) => term });
    words.addAll(Array.from({ length: rows }, (_, id) => ({ id, text: texts[id] ?? "" })));
    return {
      filters: false,
      matching: (text, k) =>
        words
          .search(text)
          .slice(0, k)
          .map(({ id }) => Number(id)),
      diskBytes: null,
      close: () => {},
    };
  },
};
