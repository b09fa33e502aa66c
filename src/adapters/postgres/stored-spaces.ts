// Which embedders the vectors in memory come from: what is compared depends on it.
import type { EmbeddingSpace } from "../../domain/memory.ts";
import { BIT_ROWS } from "./nearest-by-bits.ts";
import type { Sql } from "./sql.ts";

export interface StoredSpace extends EmbeddingSpace {
  readonly vectors: number;
  /** Repositories so large that bits go first in a search, and how many of them have all their bits; absent: there is none. */
  readonly byBits?: { readonly repositories: number; readonly ready: number };
}

/** Every space with at least one vector, the one with the most first. */
export async function storedSpaces(sql: Sql): Promise<readonly StoredSpace[]> {
  const spaces = await sql.all<Omit<StoredSpace, "byBits"> & { readonly id: number }>(
    `SELECT s.id, s.model, s.dimension, count(*) AS vectors FROM spaces s JOIN vectors v ON v.space = s.id
     GROUP BY s.id ORDER BY vectors DESC, s.id`,
  );
  const large = await sql.all<{ space: number; rows: number; bits: number }>(
    `SELECT v.space, v.rows, (SELECT count(*) FROM vector_bits b WHERE b.repo = v.repo AND b.space = v.space) AS bits
     FROM (SELECT repo, space, count(*) AS rows FROM vectors GROUP BY repo, space) v WHERE v.rows >= $1`,
    [BIT_ROWS.from],
  );
  return spaces.map(({ id, ...space }) => {
    const own = large.filter((one) => one.space === id);
    const ready = own.filter(({ rows, bits }) => bits >= rows).length;
    return { ...space, ...(own.length === 0 ? {} : { byBits: { repositories: own.length, ready } }) };
  });
}
