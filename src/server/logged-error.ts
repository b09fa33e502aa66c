// An error as the log shows it: who fails, where and why. Clients of HTTP hang requests, headers and whole answers on their
// errors; none of that is written down, whatever it is called.
import { cutText } from "../domain/text/cut-text.ts";

/** Causes that are followed; a chain that bites its tail ends there too. */
const CAUSES = 5;
const MESSAGE = 2_000;
const STACK = 6_000;

export interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly stack?: string;
  /** `ECONNRESET`, `SQLITE_FULL`. */
  readonly code?: string;
  /** Of an HTTP answer. */
  readonly status?: number;
  readonly cause?: LoggedError;
}

/**
 * @param error whatever was thrown
 * @returns named fields alone, each bounded; secrets in the words are hidden where every line is
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
