// Vectors in the form in which Postgres and a client exchange them without a text between: two bytes a number instead of twenty.
import type { Sql } from "./sql.ts";

/** Components and a reserved number, two bytes each, stand before the halves. */
const HEADER = 4;

/**
 * Vectors as one parameter of type halfvec[], in the binary form of an array of one dimension.
 *
 * @param vectors half floats with the greater byte first
 */
export async function halfvecArray(sql: Sql, vectors: readonly Uint8Array[]): Promise<Buffer> {
  const type = await sql.one<{ oid: number }>("SELECT 'halfvec'::regtype::oid AS oid");
  const bytes = vectors.reduce((sum, vector) => sum + 4 + HEADER + vector.length, 20);
  const array = Buffer.alloc(bytes);
  // Dimensions, no nulls, of what; how many, numbered from one.
  for (const [at, value] of [1, 0, Number(type?.oid ?? 0), vectors.length, 1].entries())
    array.writeInt32BE(value, at * 4);
  let at = 20;
  for (const vector of vectors) {
    at = array.writeInt32BE(HEADER + vector.length, at);
    at = array.writeInt16BE(vector.length / 2, at) + 2;
    array.set(vector, at);
    at += vector.length;
  }
  return array;
}

/** The half floats of what `halfvec_send` gave. */
export function halfvecBytes(sent: Buffer): Uint8Array {
  return sent.subarray(HEADER);
}
