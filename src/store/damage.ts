// Publishes the codes by which a database reports damaged data, for the integrity watch.
import { channel } from "node:diagnostics_channel";

/** SQLITE_CORRUPT and SQLITE_NOTADB; data_corrupted (XX001) and index_corrupted (XX002). */
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
