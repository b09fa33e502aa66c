// Serialises errors for the log by an allow list of fields. HTTP clients attach requests, headers and whole responses to their
// errors, and none of that may be logged.
import { cutText } from "../domain/text/cut-text.ts";

/** Depth of causes; also ends a cyclic chain. */
const CAUSES = 5;
const MESSAGE = 2_000;
const STACK = 6_000;

export interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly stack?: string;
  /** `ECONNRESET`, `SQLITE_FULL`. */
  readonly code?: string;
  /** HTTP status. */
  readonly status?: number;
  readonly cause?: LoggedError;
}

/**
 * @param error any thrown value
 * @returns only these fields, each bounded; the log's own redaction removes secrets from the texts
 */
export function loggedError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: shortText(error, MESSAGE) };
  const { code, status, cause } = error as {
    readonly code?: unknown;
    readonly status?: unknown;
    readonly cause?: unknown;
  };
  return {
    type: shortText(error.name, 100),
    message: shortText(error.message, MESSAGE),
    ...(error.stack === undefined ? {} : { stack: shortText(error.stack, STACK) }),
    ...(typeof code === "string" && /^\w{1,60}$/.test(code) ? { code } : {}),
    ...(typeof status === "number" ? { status } : {}),
    ...(cause === undefined || cause === null || depth >= CAUSES ? {} : { cause: loggedError(cause, depth + 1) }),
  };
}

function shortText(value: unknown, most: number): string {
  const text = typeof value === "string" ? value : typeof value === "object" ? "(an object)" : String(value);
  return cutText(text, most).toWellFormed();
}
