// Why a paid or local service gave no result, in words that are safe to log.
import type { z } from "zod";

/** What a retry needs to know about a failed attempt. */
export interface FailureTurn {
  /** A retry may succeed. */
  readonly again: boolean;
  /** Counts for the circuit breaker. False: the server works, and refuses this request alone. */
  readonly isOutage: boolean;
  /** The wait that the server asks for in milliseconds, or null. */
  readonly waitMs: number | null;
}

/**
 * A call that failed. The message consists of fixed words, status numbers and error codes: never a key, an address or text by the
 * service.
 */
export class ServiceFailed extends Error {
  override readonly name: string = "ServiceFailed";
  readonly turn: FailureTurn;

  constructor(message: string, turn: Partial<FailureTurn> = {}) {
    super(message);
    this.turn = { again: false, isOutage: true, waitMs: null, ...turn };
  }
}

/** Too early, too many, or broken on their side. */
const AGAIN: ReadonlySet<number> = new Set([408, 425, 429]);
/** Malformed, too large, unprocessable: the input's fault. */
const REFUSED: ReadonlySet<number> = new Set([400, 413, 422]);

/**
 * @param status any status that is not a success
 * @param waitMs the wait that the service asks for; null: none
 */
export function statusFailure(status: number, waitMs: number | null): ServiceFailed {
  const hint = status === 401 || status === 403 ? "; check its key" : "";
  return new ServiceFailed(`the service answered ${status}${hint}`, {
    again: AGAIN.has(status) || status >= 500,
    isOutage: !REFUSED.has(status),
    waitMs,
  });
}

/**
 * A success whose body is not valid. A page of a proxy or truncated JSON may pass with a retry; a value of the wrong type in an answer
 * of the right form would occur again for the same input.
 *
 * @param issue where it is wrong; undefined when it is not JSON
 */
export function unreadableAnswer(issue?: z.core.$ZodIssue): ServiceFailed {
  const path = issue?.path ?? [];
  const expected = issue?.code === "invalid_type" ? issue.expected : "another value";
  const place = path.length === 0 ? "" : ` (${path.join(".")}: expected ${expected})`;
  const isInside = path.length > 1;
  return new ServiceFailed(`the service answered something that is not the JSON it promises${place}`, {
    again: !isInside,
    isOutage: !isInside,
  });
}

/** No answer. Only the code of an unknown error is shown, because messages of HTTP clients may quote headers. */
export function connectionFailure(error: unknown): ServiceFailed {
  if (error instanceof ServiceFailed) return error;
  const code = codeOf(error) ?? codeOf(error instanceof Error ? error.cause : null);
  const again = code !== "EGRESS_REFUSED";
  return new ServiceFailed(`no connection to the service${code === null ? "" : ` (${code})`}`, { again });
}

/** The code of an error, such as `ECONNREFUSED`; null without one. */
export function codeOf(error: unknown): string | null {
  const code: unknown = typeof error === "object" && error !== null && "code" in error ? error.code : null;
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{2,39}$/.test(code) ? code : null;
}
