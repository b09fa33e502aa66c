// Rows with vectors into PostgreSQL by its binary COPY: as text a million vectors take a quarter of an hour.
import type { Client, Connection, Submittable } from "pg";

export interface HalfvecRow {
  readonly id: number;
  readonly language: string;
  readonly vector: Float32Array;
}

/** Signature, flags, length of what follows the head. */
const HEAD = Buffer.from([...Buffer.from("PGCOPY\n"), 0xff, 0x0d, 0x0a, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const END = Buffer.from([0xff, 0xff]);

/**
 * Copies rows into a table of an id (int), a language (text) and a halfvec, in that order.
 *
 * @throws what the server answers
 */
export function copiedIn(client: Client, table: string, rows: readonly HalfvecRow[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const bytes = Buffer.concat([HEAD, ...rows.map(rowBytes), END]);
    const copy: Submittable & Record<string, unknown> = {
      submit: (connection: Connection) => connection.query(`COPY ${table} FROM STDIN (FORMAT binary)`),
      handleCopyInResponse(connection: Connection & { sendCopyFromChunk(of: Buffer): void; endCopyFrom(): void }) {
        connection.sendCopyFromChunk(bytes);
        connection.endCopyFrom();
      },
      handleCommandComplete: () => {},
      handleError: reject,
      handleReadyForQuery: () => resolve(),
    };
    client.query(copy);
  });
}

function rowBytes({ id, language, vector }: HalfvecRow): Buffer {
  const text = Buffer.from(language);
  const size = 4 + 2 * vector.length;
  const row = Buffer.alloc(2 + 4 + 4 + 4 + text.length + 4 + size);
  let at = row.writeInt16BE(3, 0);
  at = row.writeInt32BE(4, at);
  at = row.writeInt32BE(id, at);
  at = row.writeInt32BE(text.length, at);
  at += text.copy(row, at);
  at = row.writeInt32BE(size, at);
  at = row.writeInt16BE(vector.length, at);
  at = row.writeInt16BE(0, at);
  const view = new DataView(row.buffer, row.byteOffset, row.length);
  for (const component of vector) {
    view.setFloat16(at, component);
    at += 2;
  }
  return row;
}
