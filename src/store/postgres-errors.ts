// What Postgres and its connections throw, in our words: what passes is Transient, the rest stays what it is.
import { DatabaseRefuses, LeaseLost, StoreUnusable, Transient } from "../domain/errors.ts";
import { noteDamage } from "./damage.ts";
import { refusal } from "./postgres-refusal.ts";

/**
 * States that another try may not meet (https://www.postgresql.org/docs/17/errcodes-appendix.html): connections (08), a
 * serialisation failure or deadlock (40001, 40P01), no resources (53), a lock or statement that took too long (55P03, 57014), a
 * server that stops, starts or ended the session (57P01–57P05, 25P03), and one that is read-only after a failover (25006).
 */
const PASSING = /^(08...|40001|40P01|53...|55P03|57014|57P0[1-5]|25P03|25006)$/;

/** Of the network, beneath Postgres. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

/** The driver gives these no code. */
const CUT =
  /^(Connection terminated|timeout (exceeded|expired)|Query read timeout|Client (has encountered|was closed)|Cannot use a pool|write after end)/i;

/** Whether a translated error means that nothing more is to be heard on its connection. */
export function isCut(error: unknown): error is Transient {
  return error instanceof Transient && error.cause instanceof Error && CUT.test(error.cause.message);
}

/**
 * The error that a caller may see. It holds no password: a message of the driver names at most host, port and user, and the
 * statement's values are not part of it.
 */
export function translated(error: unknown): unknown {
  if (error instanceof Transient || error instanceof StoreUnusable || error instanceof LeaseLost) return error;
  if (error instanceof DatabaseRefuses) return error;
  if (!(error instanceof Error)) return new Error(`the database failed: ${String(error)}`);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  noteDamage(code);
  if (PASSING.test(code)) return new Transient(`the database cannot be asked now (${code})`, null, error);
  if (UNREACHABLE.has(code) || CUT.test(error.message))
    return new Transient(`the database cannot be reached now (${code || "connection lost"})`, null, error);
  const refused = refusal(error);
  return refused === null ? error : new DatabaseRefuses(refused);
}
