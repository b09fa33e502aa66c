// Publishes the error codes by which a database reports damaged data, so that the integrity watch checks the whole store.
import { channel } from "node:diagnostics_channel";

/** SQLite's SQLITE_CORRUPT and SQLITE_NOTADB, PostgreSQL's data_corrupted (XX001) and index_corrupted (XX002). */
const DAMAGED = /^(?:SQLITE_CORRUPT|SQLITE_NOTADB|XX00[12]$)/;
const FOUND = channel("kodiai:damage");

/** Call it with the code of every database error. */
export function noteDamage(code: string): void {
  if (DAMAGED.test(code)) FOUND.publish(code);
}

/** @returns ends the subscription */
export function onDamage(found: (code: string) => void): () => void {
  const listener = (code: unknown) => found(String(code));
  FOUND.subscribe(listener);
  return () => void FOUND.unsubscribe(listener);
}
