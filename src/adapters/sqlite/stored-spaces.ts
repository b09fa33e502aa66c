// Which embedders the vectors of a memory.db come from: what is compared depends on it.
import type { EmbeddingSpace } from "../../domain/memory.ts";
import type { Database } from "./database.ts";

/** Every space with at least one vector, the one with the most first. */
export function storedSpaces(db: Database.Database): readonly (EmbeddingSpace & { readonly vectors: number })[] {
  return db
    .prepare(
      `SELECT s.model AS model, s.dimension AS dimension, COUNT(*) AS vectors
       FROM spaces s JOIN vec_i8 v ON v.space = s.id GROUP BY s.id ORDER BY vectors DESC, s.id`,
    )
    .all() as (EmbeddingSpace & { vectors: number })[];
}
