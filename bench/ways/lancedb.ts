// LanceDB without an index (flat, float32, in its own files): its IVF_PQ finds a third of the nearest on such vectors.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { batchesOf, type Maker, type Way } from "./way.ts";

const BATCH = 5_000;

/** As much of it as is used here. */
interface Lance {
  connect(folder: string): Promise<{
    createTable(name: string, rows: object): Promise<Table>;
    openTable(name: string): Promise<Table>;
    close(): void;
  }>;
}

interface Table {
  add(rows: object): Promise<unknown>;
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
    const { connect } = await library();
    const tableOf = await arrowTables(stored.dimension);
    const db = await connect(folder);
    let table: Table | null = null;
    for (const [first, count] of batchesOf(stored.rows, BATCH)) {
      const rows = tableOf(first, stored.languages.slice(first, first + count), stored.vectors(first, count));
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

type Made = object;

/** As much of it as is used here. */
interface Arrow {
  readonly Float32: new () => Made;
  readonly Utf8: new () => Made;
  readonly Field: new (name: string, type: Made, nullable: boolean) => Made;
  readonly FixedSizeList: new (size: number, of: Made) => Made;
  readonly Vector: new (of: readonly Made[]) => Made;
  readonly Table: new (columns: Readonly<Record<string, Made>>) => Made;
  makeData(of: object): Made;
  vectorFromArray(values: Int32Array | readonly string[], type?: Made): Made;
}

/** Tables in Arrow's own shape: of plain arrays a hundred thousand take minutes. */
async function arrowTables(
  dimension: number,
): Promise<(first: number, languages: readonly string[], vectors: Float32Array) => Made> {
  const name: string = "apache-arrow";
  const arrow = (await import(name)) as Arrow;
  const float32 = new arrow.Float32();
  const type = new arrow.FixedSizeList(dimension, new arrow.Field("item", float32, true));
  return (first, languages, vectors) => {
    const length = languages.length;
    const child = arrow.makeData({ type: float32, length: vectors.length, data: vectors });
    return new arrow.Table({
      row: arrow.vectorFromArray(Int32Array.from({ length }, (_, at) => first + at)),
      language: arrow.vectorFromArray(languages, new arrow.Utf8()),
      vector: new arrow.Vector([arrow.makeData({ type, length, nullCount: 0, child })]),
    });
  };
}

function bytesUnder(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
