// LanceDB without an index (flat, float32, in its own files): its IVF_PQ finds a third of the nearest on such vectors.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Maker } from "./way.ts";

const BATCH = 5_000;

/** As much of it as is used here. */
interface Lance {
  connect(
    folder: string,
  ): Promise<{ createTable(name: string, rows: readonly object[]): Promise<Table>; close(): void }>;
}

interface Table {
  add(rows: readonly object[]): Promise<unknown>;
  vectorSearch(vector: Float32Array): { distanceType(name: string): Query };
}

interface Query {
  select(columns: readonly string[]): Query;
  limit(k: number): Query;
  where(condition: string): Query;
  toArray(): Promise<readonly { readonly row: number | bigint }[]>;
}

export const lancedb: Maker = {
  name: "LanceDB flat",
  needs: "@lancedb/lancedb",
  mostRows: null,
  async make({ rows, vectors, dimension, languages }, folder) {
    // By a name that the types do not follow: without the package they must hold, too.
    const name: string = "@lancedb/lancedb";
    const { connect } = (await import(name)) as Lance;
    const db = await connect(folder);
    const rowsFrom = (first: number) =>
      Array.from({ length: Math.min(BATCH, rows - first) }, (_, at) => ({
        row: first + at,
        language: languages[first + at] ?? "",
        vector: Array.from(vectors.subarray((first + at) * dimension, (first + at + 1) * dimension)),
      }));
    const table = await db.createTable("v", rowsFrom(0));
    for (let first = BATCH; first < rows; first += BATCH) await table.add(rowsFrom(first));
    return {
      filters: true,
      async nearest(vector, k, language) {
        const query = table.vectorSearch(vector).distanceType("cosine").select(["row", "_distance"]).limit(k);
        const found = await (language === null ? query : query.where(`language = '${language}'`)).toArray();
        return found.map(({ row }) => Number(row));
      },
      diskBytes: bytesUnder(folder),
      close: () => db.close(),
    };
  },
};

function bytesUnder(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
