// pgvector used directly, in a schema of its own that is dropped at the end: halfvec scanned and by HNSW, and tsvector with GIN for
// words. Needs a server: KODIAI_TEST_DATABASE_URL, DATABASE_URL, or what `npm run postgres -- --detach` started.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { CACHE } from "../../scripts/postgres-means.ts";
import { tokenise } from "../../src/domain/tokenise.ts";
import type { Maker, Stored, Way } from "./way.ts";

/** Rows of one statement. */
const BATCH = 500;
/** Connectivity, and how many are looked at when adding and when searching, as of the other HNSW. */
const HNSW = { m: 16, adding: 128, searching: 64 };

/** Null when there is none: the rows then say so. */
export function databaseUrl(): string | null {
  const given = process.env.KODIAI_TEST_DATABASE_URL ?? process.env.DATABASE_URL;
  if (given?.startsWith("postgres")) return given;
  try {
    return (JSON.parse(readFileSync(join(CACHE, "postgres-running.json"), "utf8")) as { readonly url: string }).url;
  } catch {
    return null;
  }
}

export const pgvectorFlat: Maker = {
  name: "pgvector halfvec flat",
  needs: null,
  mostRows: null,
  make: (stored) => vectors(stored, "bench_flat", null),
};

export const pgvectorHnsw: Maker = {
  name: "pgvector halfvec HNSW",
  needs: null,
  mostRows: { rows: 100_000, why: "it builds for an hour" },
  make: (stored) => vectors(stored, "bench_hnsw", HNSW),
};

export const tsvector: Maker = {
  name: "Postgres tsvector",
  needs: null,
  mostRows: { rows: 250_000, why: "seconds for each question" },
  async make(stored) {
    const { client, close } = await opened("bench_words");
    await client.query("CREATE TABLE t (id int PRIMARY KEY, words tsvector)");
    await inBatches(stored, async (first, count) => {
      const texts = stored.texts.slice(first, first + count).map((text) => tokenise(text).join(" "));
      const rows =
        "SELECT $1 + n - 1, to_tsvector('simple', text) FROM unnest($2::text[]) WITH ORDINALITY AS of (text, n)";
      await client.query(`INSERT INTO t ${rows}`, [first, texts]);
    });
    await client.query("CREATE INDEX ON t USING gin (words)");
    await client.query("ANALYZE t");
    const find = `SELECT id FROM t, to_tsquery('simple', $1) AS q WHERE words @@ q ORDER BY ts_rank(words, q) DESC, id LIMIT $2`;
    return {
      filters: false,
      async matching(text, k) {
        const words = [...new Set(tokenise(text))].map((word) => `'${word.replaceAll(/['\\]/g, "")}'`);
        return idsOf(await client.query(find, [words.join(" | "), k]));
      },
      diskBytes: await bytesOf(client),
      close,
    };
  },
};

async function vectors(stored: Stored, schema: string, hnsw: typeof HNSW | null): Promise<Way> {
  const { client, close } = await opened(schema);
  const { dimension, languages } = stored;
  await client.query(`CREATE TABLE t (id int PRIMARY KEY, language text, e halfvec(${dimension}))`);
  await inBatches(stored, async (first, count) => {
    const written = Array.from({ length: count }, (_, at) => textOf(stored, first + at));
    const rows =
      "SELECT $1 + n - 1, language, e::halfvec FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS of (language, e, n)";
    await client.query(`INSERT INTO t ${rows}`, [first, languages.slice(first, first + count), written]);
  });
  if (hnsw !== null) {
    await client.query("SET maintenance_work_mem = '1GB'");
    const options = `m = ${hnsw.m}, ef_construction = ${hnsw.adding}`;
    await client.query(`CREATE INDEX ON t USING hnsw (e halfvec_cosine_ops) WITH (${options})`);
    await client.query(`SET hnsw.ef_search = ${hnsw.searching}`);
  }
  await client.query("ANALYZE t");
  const find = (where: string) => `SELECT id FROM t ${where} ORDER BY e <=> $1::halfvec LIMIT $2`;
  return {
    filters: true,
    async nearest(vector, k, language) {
      const asked = [`[${vector.join(",")}]`, k];
      if (language === null) return idsOf(await client.query(find(""), asked));
      return idsOf(await client.query(find("WHERE language = $3"), [...asked, language]));
    },
    diskBytes: await bytesOf(client),
    close,
  };
}

async function opened(schema: string): Promise<{ readonly client: pg.Client; readonly close: () => Promise<void> }> {
  const client = new pg.Client({ connectionString: databaseUrl() ?? "" });
  await client.connect();
  await client.query("CREATE EXTENSION IF NOT EXISTS vector");
  await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await client.query(`CREATE SCHEMA ${schema}`);
  await client.query(`SET search_path = ${schema}, public`);
  // As with the others what is measured is reading.
  await client.query("SET synchronous_commit = off");
  return {
    client,
    async close() {
      await client.query(`DROP SCHEMA ${schema} CASCADE`);
      await client.end();
    },
  };
}

async function inBatches({ rows }: Stored, add: (first: number, count: number) => Promise<void>): Promise<void> {
  for (let first = 0; first < rows; first += BATCH) await add(first, Math.min(BATCH, rows - first));
}

function textOf({ vectors, dimension }: Stored, row: number): string {
  return `[${vectors.subarray(row * dimension, (row + 1) * dimension).join(",")}]`;
}

function idsOf({ rows }: { readonly rows: readonly { readonly id: number }[] }): number[] {
  return rows.map(({ id }) => id);
}

async function bytesOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>("SELECT pg_total_relation_size('t') AS bytes");
  return Number(rows[0]?.bytes ?? 0);
}
