// In this process's memory: every vector in a Float32Array (exact: what recall is held against), Orama, minisearch.
import { tokenise } from "../../src/domain/text/tokenise.ts";
import { dot } from "../exact-truth.ts";
import { batchesOf, type Maker, type Stored } from "./way.ts";

export const float32Array: Maker = {
  name: "Float32Array scan",
  needs: null,
  mostRows: { rows: 250_000, why: "4 GB of vectors at a million" },
  make(stored) {
    const vectors = stored.vectors(0, stored.rows);
    return Promise.resolve({
      filters: true,
      nearest: (vector, k, language) => exactNearest(stored, vectors, vector, k, language),
      diskBytes: null,
      close: () => {},
    });
  },
};

/** Numbers of the k nearest rows by exact cosine of unit vectors, nearest first. */
function exactNearest(
  { rows, dimension, languages }: Stored,
  vectors: Float32Array,
  query: Float32Array,
  k: number,
  language: string | null,
): number[] {
  const distances = new Float64Array(rows);
  for (let row = 0; row < rows; row += 1) {
    const isAsked = language === null || languages[row] === language;
    distances[row] = isAsked ? 1 - dot(vectors, row * dimension, query) : 9;
  }
  const kth = distances.toSorted()[k - 1] ?? 9;
  const near: number[] = [];
  distances.forEach((distance, row) => {
    if (distance <= kth) near.push(row);
  });
  return near.sort((one, other) => (distances[one] ?? 0) - (distances[other] ?? 0)).slice(0, k);
}

/** Documents that are added at a time. */
const BATCH = 1_000;

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
  async make(stored) {
    const { rows, dimension, languages } = stored;
    const name: string = "@orama/orama";
    const { create, insertMultiple, search } = (await import(name)) as Orama;
    const db = create({ schema: { text: "string", language: "enum", e: `vector[${dimension}]` } });
    for (const [first, count] of batchesOf(rows, BATCH)) {
      const vectors = stored.vectors(first, count);
      const documents = stored.texts(first, count).map((text, at) => ({
        id: String(first + at),
        text: tokenise(text).join(" "),
        language: languages[first + at] ?? "",
        e: Array.from(vectors.subarray(at * dimension, (at + 1) * dimension)),
      }));
      await insertMultiple(db, documents, BATCH);
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
    for (const [first, count] of batchesOf(rows, BATCH))
      words.addAll(texts(first, count).map((text, at) => ({ id: first + at, text })));
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
