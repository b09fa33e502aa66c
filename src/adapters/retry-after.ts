/** A wait of more than a week is cut to it. */
const MAX_ASKED_MS = 7 * 24 * 60 * 60_000;

/**
 * The wait that a server asks for in `retry-after`: seconds, or a date (RFC 9110, 10.2.3).
 *
 * @param now epoch milliseconds
 * @returns milliseconds, at most a week; null for other values and past dates
 */
export function retryAfterMs(text: string | null, now: number): number | null {
  const seconds = numberOf(text);
  const wait = seconds === null ? Date.parse(text ?? "") - now : seconds * 1000;
  return wait >= 0 ? Math.min(wait, MAX_ASKED_MS) : null;
}

/** A number of a header, at most the milliseconds of a week; null for anything else. */
export function numberOf(text: string | null): number | null {
  const isNumber = /^\s{0,9}\d{1,15}(?:\.\d{1,9})?\s{0,9}$/.test(text ?? "");
  return isNumber ? Math.min(Number(text), MAX_ASKED_MS) : null;
}
