// LanceDB without an index (flat, float32, in its own files): its IVF_PQ finds a third of the nearest on such vectors.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { batchesOf, type Maker, type Way } from "./way.ts";

const BATCH = 5_000;

/** As much of it as is used here. */
interface Lance {
  connect(folder: string): Promise<{
    createTable(name: string, rows: readonly object[]): Promise<Table>;
    openTable(name: string): Promise<Table>;
    close(): void;
  }>;
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
  async make(stored, { folder }) {
    const { dimension, languages } = stored;
    const { connect } = await library();
    const db = await connect(folder);
    let table: Table | null = null;
    for (const [first, count] of batchesOf(stored.rows, BATCH)) {
      const vectors = stored.vectors(first, count);
      const rows = Array.from({ length: count }, (_, at) => ({
        row: first + at,
        language: languages[first + at] ?? "",
        vector: Array.from(vectors.subarray(at * dimension, (at + 1) * dimension)),
      }));
      if (table === null) table = await db.createTable("v", rows);
      else await table.add(rows);
    }
    db.close();
    return wayIn(folder);
  },
  open: (_, { folder }) => wayIn(folder),
};

async function wayIn(folder: string): Promise<Way> {
  const { connect } = await library();
  const db = await connect(folder);
  const table = await db.openTable("v");
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
}

function library(): Promise<Lance> {
  // By a name that the types do not follow: without the package they must hold, too.
  const name: string = "@lancedb/lancedb";
  return import(name) as Promise<Lance>;
}

function bytesUnder(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
