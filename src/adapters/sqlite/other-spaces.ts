// Memories whose vector another embedder made: never compared, so somebody must be told how many they are.
import { LRUCache } from "lru-cache";
import type { AdmittedRepository } from "../memory/segment.ts";
import type { Database } from "./database.ts";
import { prepared } from "./prepared.ts";

/** Counts, among the memories of these repositories, those with a vector of another space than the named one. */
export type OtherSpaces = (
  repositories: readonly AdmittedRepository[],
  spaceId: number | null,
) => { readonly rows: number; readonly models: readonly string[] };

/** A counter that looks again only when a repository has changed. Call inside a read transaction. */
export function otherSpaces(db: Database.Database): OtherSpaces {
  const known = new LRUCache<string, number>({ max: 10_000 });
  const countIn = (space: number, { id, version }: AdmittedRepository): number => {
    const key = `${space} ${id} ${version}`;
    const rows =
      known.get(key) ??
      (prepared(
        db,
        "SELECT count(*) FROM records r CROSS JOIN vec_i8 v ON v.id = r.id WHERE r.repo = ? AND r.stale = 0 AND v.space = ?",
      )
        .pluck()
        .get(id, space) as number);
    known.set(key, rows);
    return rows;
  };
  return (repositories, spaceId) => {
    // Nearly always there is one space only, and then nothing is counted.
    const others = prepared(
      db,
      `SELECT id, model, dimension FROM spaces s WHERE id IS NOT ? AND EXISTS (SELECT 1 FROM vec_i8 v WHERE v.space = s.id)
         ORDER BY id`,
    ).all(spaceId) as { readonly id: number; readonly model: string; readonly dimension: number }[];
    const found = others
      .map((space) => ({ ...space, rows: repositories.reduce((sum, one) => sum + countIn(space.id, one), 0) }))
      .filter(({ rows }) => rows > 0);
    return {
      rows: found.reduce((sum, { rows }) => sum + rows, 0),
      models: found.map(({ model, dimension }) => `${model}, ${dimension} numbers`),
    };
  };
}
