// pgvector used directly, in schemas of its own: halfvec scanned and by HNSW, and tsvector with GIN for words. Needs a server:
// KODIAI_TEST_DATABASE_URL, DATABASE_URL, or what `npm run postgres -- --detach` started.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { CACHE } from "../../scripts/postgres-means.ts";
import { tokenise } from "../../src/domain/text/tokenise.ts";
import { copiedIn, type HalfvecRow } from "./copied-in.ts";
import { batchesOf, type Maker, type Place, type Stored, type Way } from "./way.ts";

/** Rows of one statement. */
const BATCH = 2_000;
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
  isServer: true,
  make: (stored, place) => vectors(stored, place, "flat", null),
  open: (stored, place) => vectorsAgain(stored, place, "flat"),
};

export const pgvectorHnsw: Maker = {
  name: "pgvector halfvec HNSW",
  needs: null,
  mostRows: { rows: 100_000, why: "it builds for an hour" },
  isServer: true,
  make: (stored, place) => vectors(stored, place, "hnsw", HNSW),
  open: (stored, place) => vectorsAgain(stored, place, "hnsw"),
};

export const tsvector: Maker = {
  name: "Postgres tsvector",
  needs: null,
  mostRows: { rows: 250_000, why: "seconds for each question" },
  isServer: true,
  async make(stored, place) {
    const opened = await emptied(place, "words");
    const { client } = opened;
    await client.query("CREATE TABLE t (id int PRIMARY KEY, words tsvector)");
    for (const [first, count] of batchesOf(stored.rows, BATCH)) {
      const texts = stored.texts(first, count).map((text) => tokenise(text).join(" "));
      const rows =
        "SELECT $1 + n - 1, to_tsvector('simple', text) FROM unnest($2::text[]) WITH ORDINALITY AS of (text, n)";
      await client.query(`INSERT INTO t ${rows}`, [first, texts]);
    }
    await client.query("CREATE INDEX ON t USING gin (words)");
    return byWords(await finished(opened, place));
  },
  async open(stored, place) {
    const opened = await found(stored, place, "words");
    return opened === null ? null : byWords(opened);
  },
};

async function byWords({ client, close }: Opened): Promise<Way> {
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
}

async function vectors(stored: Stored, place: Place, kind: string, hnsw: typeof HNSW | null): Promise<Way> {
  const opened = await emptied(place, kind);
  const { client } = opened;
  const { dimension, languages } = stored;
  await client.query(`CREATE TABLE t (id int PRIMARY KEY, language text, e halfvec(${dimension}))`);
  // Beside the row, as for who scans: aside, where rows of 2 kB go by themselves, each costs a look-up, and none scans in parallel.
  await client.query("ALTER TABLE t ALTER COLUMN e SET STORAGE PLAIN");
  for (const [first, count] of batchesOf(stored.rows, BATCH)) {
    const read = stored.vectors(first, count);
    const rows = Array.from({ length: count }, (_, at): HalfvecRow => {
      const vector = read.subarray(at * dimension, (at + 1) * dimension);
      return { id: first + at, language: languages[first + at] ?? "", vector };
    });
    await copiedIn(client, "t", rows);
  }
  if (hnsw !== null) {
    await client.query("SET maintenance_work_mem = '1GB'");
    const options = `m = ${hnsw.m}, ef_construction = ${hnsw.adding}`;
    await client.query(`CREATE INDEX ON t USING hnsw (e halfvec_cosine_ops) WITH (${options})`);
  }
  return byVectors(await finished(opened, place));
}

async function vectorsAgain(stored: Stored, place: Place, kind: string): Promise<Way | null> {
  const opened = await found(stored, place, kind);
  return opened === null ? null : byVectors(opened);
}

async function byVectors({ client, close }: Opened): Promise<Way> {
  await client.query(`SET hnsw.ef_search = ${HNSW.searching}`);
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

interface Opened {
  readonly client: pg.Client;
  readonly close: () => Promise<void>;
}

async function connected(schema: string, stays: boolean): Promise<Opened> {
  const client = new pg.Client({ connectionString: databaseUrl() ?? "" });
  await client.connect();
  await client.query("CREATE EXTENSION IF NOT EXISTS vector");
  await client.query(`SET search_path = ${schema}, public`);
  // As with the others what is measured is reading.
  await client.query("SET synchronous_commit = off");
  return {
    client,
    async close() {
      if (!stays) await client.query(`DROP SCHEMA ${schema} CASCADE`);
      await client.end();
    },
  };
}

async function emptied({ name, stays }: Place, kind: string): Promise<Opened> {
  const schema = `${name}_${kind}`;
  const opened = await connected(schema, stays);
  await opened.client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await opened.client.query(`CREATE SCHEMA ${schema}`);
  return opened;
}

/** The table says what it was built of when it is whole. */
async function finished(opened: Opened, { fingerprint }: Place): Promise<Opened> {
  await opened.client.query("VACUUM ANALYZE t");
  await opened.client.query(`COMMENT ON TABLE t IS '${fingerprint}'`);
  return opened;
}

async function found(stored: Stored, place: Place, kind: string): Promise<Opened | null> {
  const schema = `${place.name}_${kind}`;
  const opened = await connected(schema, place.stays);
  const { client } = opened;
  const said = await client.query<{ of: string | null }>("SELECT obj_description(to_regclass($1)) AS of", [
    `${schema}.t`,
  ]);
  if (said.rows[0]?.of === place.fingerprint) {
    const { rows } = await client.query<{ count: string }>("SELECT count(*) FROM t");
    if (Number(rows[0]?.count) === stored.rows) return opened;
  }
  await client.end();
  return null;
}

function idsOf({ rows }: { readonly rows: readonly { readonly id: number }[] }): number[] {
  return rows.map(({ id }) => id);
}

async function bytesOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>("SELECT pg_total_relation_size('t') AS bytes");
  return Number(rows[0]?.bytes ?? 0);
}
