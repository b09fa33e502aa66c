// Every way that the retrieval benchmark compares with.

import type { Maker } from "./engine.ts";
import { usearchExact } from "./exact-search.ts";
import { float32Array } from "./in-memory.ts";
import { plainBm25 } from "./plain-bm25.ts";
import { fts5, fts5Rarest, vec0, vec0Int8 } from "./plain-sqlite.ts";

const WAYS: readonly Maker[] = [vec0, vec0Int8, fts5, fts5Rarest, float32Array, plainBm25, usearchExact];

/**
 * Those that can hold so many rows.
 *
 * @param names those whose name holds one of these; null for all
 */
export function allEngines(rows: number, names: readonly string[] | null): readonly Maker[] {
  return WAYS.filter(
    ({ name, mostRows }) =>
      (mostRows === null || rows <= mostRows) && (names === null || names.some((word) => name.includes(word))),
  );
}
