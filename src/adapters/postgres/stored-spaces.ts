// Which embedders the vectors in memory come from: what is compared depends on it.
import type { EmbeddingSpace } from "../../domain/memory.ts";
import type { Sql } from "./sql.ts";

/** Every space with at least one vector, the one with the most first. */
export function storedSpaces(sql: Sql): Promise<readonly (EmbeddingSpace & { readonly vectors: number })[]> {
  return sql.all(
    `SELECT s.model, s.dimension, count(*) AS vectors FROM spaces s JOIN vectors v ON v.space = s.id
     GROUP BY s.id ORDER BY vectors DESC, s.id`,
  );
}
