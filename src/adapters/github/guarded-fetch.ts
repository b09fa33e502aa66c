// The one HTTP client towards GitHub: allowed origins only, through the operator's proxy, with a deadline.
import { EnvHttpProxyAgent, fetch as undiciFetch } from "undici";

const DEADLINE_MS = 30_000;
const MAX_REDIRECTS = 3;

type FetchInput = Parameters<typeof undiciFetch>[0];
type FetchInit = Parameters<typeof undiciFetch>[1];
export type GuardedFetch = (input: FetchInput, init?: FetchInit) => ReturnType<typeof undiciFetch>;

/** A request to a host that nobody allowed: a bug or an attack, never something to try again. */
export class EgressRefused extends Error {
  override readonly name = "EgressRefused";
}

/**
 * A `fetch` that reaches only the given origins (`https://api.github.com`), obeys HTTPS_PROXY, HTTP_PROXY and NO_PROXY,
 * gives up after 30 s or `deadlineMs` (null: never, for callers with patience of their own), and follows redirects only
 * within the origin, so that no credential leaves it.
 * A private certificate authority comes with Node's own NODE_EXTRA_CA_CERTS.
 *
 * @throws EgressRefused for any other origin, also as the target of a redirect
 */
export function guardedFetch(
  allowedOrigins: ReadonlySet<string>,
  deadlineMs: number | null = DEADLINE_MS,
): GuardedFetch {
  // undici has deadlines of its own, of five minutes.
  const dispatcher = new EnvHttpProxyAgent(deadlineMs === null ? { headersTimeout: 0, bodyTimeout: 0 } : {});

  function once(url: URL, init: FetchInit): ReturnType<GuardedFetch> {
    if (!allowedOrigins.has(url.origin)) throw new EgressRefused(`requests to ${url.origin} are not allowed`);
    const deadline = deadlineMs === null ? [] : [AbortSignal.timeout(deadlineMs)];
    const signal = AbortSignal.any([...(init?.signal ? [init.signal] : []), ...deadline]);
    return undiciFetch(url, { ...init, dispatcher, redirect: "manual", signal });
  }

  return async (input, init) => {
    let url = new URL(typeof input === "string" || input instanceof URL ? input : input.url);
    let response = await once(url, init);
    for (let hop = 0; hop < MAX_REDIRECTS; hop++) {
      const next = redirectTarget(response, url, init?.method ?? "GET");
      if (next === null) break;
      await response.body?.cancel();
      url = next;
      response = await once(url, init);
    }
    return response;
  };
}

/** Where a redirect leads, or null when it is none or would change what a write means. */
function redirectTarget(response: Awaited<ReturnType<GuardedFetch>>, from: URL, method: string): URL | null {
  const location = response.headers.get("location");
  if (location === null || ![301, 302, 307, 308].includes(response.status)) return null;
  return method.toUpperCase() === "GET" || response.status >= 307 ? new URL(location, from) : null;
}
