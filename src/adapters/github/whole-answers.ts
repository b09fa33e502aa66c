// GitHub's client takes an answer that broke off for an empty one, and what is no JSON for text: a list of comments that was
// cut short would say that nothing was posted. Only whole answers reach it.
import type { GuardedFetch } from "./guarded-fetch.ts";

type Answer = Awaited<ReturnType<GuardedFetch>>;

/** Answers of these have no body: what the Fetch standard calls a null body status. */
const BODILESS = new Set([101, 103, 204, 205, 304]);
const [OPEN_BRACE, OPEN_BRACKET, CLOSED_BRACE, CLOSED_BRACKET] = [..."{[}]"].map((sign) => sign.charCodeAt(0));

/**
 * The same fetch, whose answers are read to their end first.
 *
 * @throws TypeError for an answer that breaks off, a success that is no whole JSON where JSON was asked for, and a redirect
 *   that was not followed: like a connection that failed, whose request is asked again or looked up
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
    // Pages of some lists are asked for beside the address of the first.
    Object.defineProperty(whole, "url", { value: url });
    // Node's own class and the client's differ in name only.
    return whole as unknown as Answer;
  };
}

function problemOf({ status, headers }: Response, init: Parameters<GuardedFetch>[1], bytes: Uint8Array): string | null {
  if (status >= 400 || (status >= 300 && init?.redirect === "manual")) return null;
  if (status >= 300) return `leads elsewhere (${status})`;
  const asked = new Headers((init?.headers ?? {}) as Record<string, string>).get("accept") ?? "";
  if (!PLAIN.test(asked)) return null;
  const isJson = headers.get("content-type")?.startsWith("application/json") ?? false;
  if (!isJson) return bytes.length > 0 ? "is no JSON" : null;
  return isWhole(bytes) ? null : "is no whole JSON";
}

/** What is asked for in GitHub's usual form; a file's text (`…raw+json`) and a diff are what they are. */
const PLAIN = /(?:^|[\s,])application\/(?:vnd\.github(?:\.v3)?\+)?json\b/;

/** All that GitHub tells is an object or a list. Reading each to its end twice would cost more than it finds. */
function isWhole(bytes: Uint8Array): boolean {
  const [first, last] = [bytes.find(isSign), bytes.findLast(isSign)];
  return (first === OPEN_BRACE && last === CLOSED_BRACE) || (first === OPEN_BRACKET && last === CLOSED_BRACKET);
}

function isSign(byte: number): boolean {
  return byte > 0x20;
}
