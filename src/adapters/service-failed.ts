// Why a paid or local service gave no result, in words that are safe to log.
import type { z } from "zod";

/**
 * A call that failed. The message consists of fixed words, status numbers and error codes: never a key, an address or text by the
 * service.
 */
export class ServiceFailed extends Error {
  override readonly name = "ServiceFailed";
  /** A retry may succeed. */
  readonly again: boolean;
  /** The service works but refuses this input: no reason to stop sending other input. */
  readonly refused: boolean;
  /** The `retry-after` header as written, or null. */
  readonly retryAfter: string | null;

  constructor(
    message: string,
    more: { readonly again: boolean; readonly refused?: boolean; readonly retryAfter?: string | null },
  ) {
    super(message);
    this.again = more.again;
    this.refused = more.refused ?? false;
    this.retryAfter = more.retryAfter ?? null;
  }
}

/** Too early, too many, or broken on their side. */
const AGAIN: ReadonlySet<number> = new Set([408, 425, 429]);
/** Malformed, too large, unprocessable: the input's fault. */
const REFUSED: ReadonlySet<number> = new Set([400, 413, 422]);
const KEY_REFUSED: ReadonlySet<number> = new Set([401, 403]);

/** @param status any status that is not a success */
export function statusFailure(status: number, retryAfter: string | null): ServiceFailed {
  const hint = KEY_REFUSED.has(status) ? "; check its key" : "";
  return new ServiceFailed(`the service answered ${status}${hint}`, {
    again: AGAIN.has(status) || status >= 500,
    refused: REFUSED.has(status),
    retryAfter,
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
    refused: isInside,
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
