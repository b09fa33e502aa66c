// The sign bits of vectors, beside them: an eighth of a byte a number, by which a large repository is gone through first.
import { setImmediate as breath } from "node:timers/promises";
import { rotateVector } from "../memory/rotate-vector.ts";
import { halfvecBytes } from "./halfvec-wire.ts";
import type { Postgres, Sql } from "./sql.ts";

/** Rows that are asked for at once, and turned without a break: a few milliseconds. */
const PAGE = 200;

/** The signs of a vector after rotation (see rotateVector), as Postgres reads bits: `0110…`; as many as rotatedSize says. */
export function signBits(vector: Float32Array): string {
  let bits = "";
  for (const value of rotateVector(vector)) bits += value >= 0 ? "1" : "0";
  return bits;
}

/** Keeps the bits of vectors, in the transaction that writes these. */
export async function writeBits(
  sql: Sql,
  space: number,
  rows: readonly { readonly id: number; readonly repo: number; readonly vector: Float32Array }[],
): Promise<void> {
  await sql.run(
    `INSERT INTO vector_bits (repo, space, id, b)
     SELECT repo, $1, id, b::varbit FROM unnest($2::bigint[], $3::bigint[], $4::text[]) AS x (repo, id, b)`,
    [space, rows.map(({ repo }) => repo), rows.map(({ id }) => id), rows.map(({ vector }) => signBits(vector))],
  );
}

/**
 * Makes the bits that are missing of repositories with at least so many vectors: of a store that was moved here, or is older than
 * bits. What is written meanwhile brings its own.
 */
export async function fillBits(db: Postgres, large: number): Promise<void> {
  const wanting = await db.all<{ repo: number }>(
    `SELECT repo FROM (SELECT repo, count(*) AS n FROM vectors GROUP BY repo) v WHERE n >= $1
       AND n > (SELECT count(*) FROM vector_bits b WHERE b.repo = v.repo) ORDER BY repo`,
    [large],
  );
  for (const { repo } of wanting) {
    let after = 0;
    for (let read = PAGE; read === PAGE; ) {
      const rows = await db.all<{ id: number; sent: Buffer }>(
        `SELECT v.id, halfvec_send(v.v) AS sent FROM vectors v
         WHERE v.repo = $1 AND v.id > $2 AND NOT EXISTS (SELECT 1 FROM vector_bits b WHERE b.id = v.id) ORDER BY v.id LIMIT ${PAGE}`,
        [repo, after],
      );
      const bits = rows.map(({ sent }) => signBits(floatsOf(sent)));
      // Of one that is gone by now, or was written anew, nothing is kept here.
      await db.run(
        `INSERT INTO vector_bits (repo, space, id, b)
         SELECT v.repo, v.space, v.id, x.b::varbit FROM unnest($1::bigint[], $2::text[]) AS x (id, b) JOIN vectors v ON v.id = x.id
         ON CONFLICT (id) DO NOTHING`,
        [rows.map(({ id }) => id), bits],
      );
      read = rows.length;
      after = rows.at(-1)?.id ?? after;
      await breath();
    }
  }
}

function floatsOf(sent: Buffer): Float32Array {
  // Copied: a row's bytes need not begin where numbers of two bytes may.
  const halves = Buffer.from(halfvecBytes(sent)).swap16();
  const bytes = new Uint8Array(halves);
  return new Float32Array(new Float16Array(bytes.buffer, 0, bytes.length / 2));
}
