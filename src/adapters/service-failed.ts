// Why a paid or local service gave no result, in words that are safe to log.
import type { z } from "zod";
import { publicErrorText } from "../domain/text/public-error-text.ts";
import { connectionCause, connectionCode } from "./connection-cause.ts";
import { serverWords } from "./server-words.ts";

/** What a retry needs to know about a failed attempt. */
export interface FailureTurn {
  /** A retry may succeed. */
  readonly again: boolean;
  /** Counts for the circuit breaker. False: the server works, and refuses this request alone. */
  readonly isOutage: boolean;
  /** The wait that the server asks for in milliseconds, or null. */
  readonly waitMs: number | null;
}

/** A failed call. The message has no key and no address; it may quote the service. */
export class ServiceFailed extends Error {
  override readonly name: string = "ServiceFailed";
  readonly turn: FailureTurn;
  /** The HTTP status; null without an answer. */
  readonly status: number | null;

  constructor(
    message: string,
    { status = null, ...turn }: Partial<FailureTurn> & { readonly status?: number | null } = {},
  ) {
    super(message);
    this.status = status;
    this.turn = { again: false, isOutage: true, waitMs: null, ...turn };
  }
}

/** Too early, too many, or broken on their side. */
const AGAIN: ReadonlySet<number> = new Set([408, 425, 429]);
/** Malformed, too large, unprocessable: the input's fault. */
const REFUSED: ReadonlySet<number> = new Set([400, 413, 422]);

const HINTS: ReadonlyMap<number, string> = new Map([
  [401, "; check its key"],
  [402, "; the account has no credit"],
  [403, "; check its key"],
  [404, "; check its address and the model"],
]);

/**
 * @param status any status that is not a success
 * @param text the body, of which one sentence is shown
 * @param waitMs the wait that the service asks for; null: none
 */
export function statusFailure(status: number, text: string, waitMs: number | null): ServiceFailed {
  const { sentence } = serverWords(text);
  const quoted = sentence === "" ? "" : `: ${publicErrorText(sentence)}`;
  const hint = HINTS.get(status) ?? "";
  return new ServiceFailed(`the service answered ${status}${quoted}${hint}`, {
    status,
    again: AGAIN.has(status) || status >= 500,
    isOutage: !REFUSED.has(status),
    waitMs,
  });
}

/**
 * A success whose body is not valid. A page of a proxy or truncated JSON may pass with a retry; a
 * value of the wrong type in an answer of the right form would occur again for the same input.
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

/** No answer. Shows only the code of an unknown error: HTTP clients quote headers. */
export function connectionFailure(error: unknown): ServiceFailed {
  if (error instanceof ServiceFailed) return error;
  return new ServiceFailed(`no connection to the service: ${connectionCause(error)}`, {
    again: connectionCode(error) !== "EGRESS_REFUSED",
  });
}
