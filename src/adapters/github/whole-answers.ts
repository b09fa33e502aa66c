// GitHub's client reads an answer that is cut off as empty, and invalid JSON as text: a list of
// comments that was cut short would mean that nothing was posted. Only complete answers reach it.
import type { GuardedFetch } from "./guarded-fetch.ts";

type Answer = Awaited<ReturnType<GuardedFetch>>;

/** Statuses without a body: the Fetch standard's null body statuses. */
const BODILESS = new Set([101, 103, 204, 205, 304]);
const [OPEN_BRACE, OPEN_BRACKET, CLOSED_BRACE, CLOSED_BRACKET] = [..."{[}]"].map((sign) => sign.charCodeAt(0));

/**
 * The same fetch, which reads answers to their end first.
 *
 * @throws TypeError for an answer that is cut off, incomplete JSON, or a redirect that was not
 *   followed: as for a failed connection, the request is repeated or looked up
 */
export function wholeAnswers(fetch: GuardedFetch): GuardedFetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { status, statusText, headers, url } = response;
    if (BODILESS.has(status)) return response;
    const bytes = new Uint8Array(await response.arrayBuffer());
    const problem = problemOf(response, init, bytes);
    if (problem !== null) throw new TypeError(`GitHub's answer ${problem}`);
    const whole = new Response(bytes, { status, statusText, headers: Object.fromEntries(headers) });
    // Some lists find further pages by the address of the first.
    Object.defineProperty(whole, "url", { value: url });
    // Node's own class and the client's differ in name only.
    return whole as unknown as Answer;
  };
}

function problemOf({ status, headers }: Response, init: Parameters<GuardedFetch>[1], bytes: Uint8Array): string | null {
  if (status >= 400 || (status >= 300 && init?.redirect === "manual")) return null;
  if (status >= 300) return `leads elsewhere (${status})`;
  const accepted = new Headers((init?.headers ?? {}) as Record<string, string>).get("accept") ?? "";
  if (!PLAIN.test(accepted)) return null;
  const isJson = headers.get("content-type")?.startsWith("application/json") ?? false;
  if (!isJson) return bytes.length > 0 ? "is not JSON" : null;
  return isWhole(bytes) ? null : "is not complete JSON";
}

/** Requests in GitHub's usual form; a file's text (`…raw+json`) and a diff are passed through. */
const PLAIN = /(?:^|[\s,])application\/(?:vnd\.github(?:\.v3)?\+)?json\b/;

/** GitHub answers with an object or a list. Parsing each twice would cost more than it finds. */
function isWhole(bytes: Uint8Array): boolean {
  const [first, last] = [bytes.find(isSign), bytes.findLast(isSign)];
  return (first === OPEN_BRACE && last === CLOSED_BRACE) || (first === OPEN_BRACKET && last === CLOSED_BRACKET);
}

function isSign(byte: number): boolean {
  return byte > 0x20;
}
