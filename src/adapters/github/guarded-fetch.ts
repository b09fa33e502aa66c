// The one HTTP client of the process: allowed origins only, at public addresses, through the operator's proxy, with a deadline.
import type { LookupAddress } from "node:dns";
import { isIP } from "node:net";
import { EnvHttpProxyAgent, fetch as undiciFetch } from "undici";
import { isLoopbackAddress, isPrivateAddress } from "../private-address.ts";
import { type Resolve, resolveByDns, vettedLookup } from "../vetted-lookup.ts";

const DEADLINE_MS = 30_000;
const MAX_REDIRECTS = 3;

type FetchInput = Parameters<typeof undiciFetch>[0];
type FetchInit = Parameters<typeof undiciFetch>[1];
export type GuardedFetch = (input: FetchInput, init?: FetchInit) => ReturnType<typeof undiciFetch>;

/** A request to where nobody allowed it: a bug or an attack, never something to try again. */
export class EgressRefused extends Error {
  override readonly name = "EgressRefused";
  readonly code = "EGRESS_REFUSED";
}

export interface Egress {
  /** `https://api.github.com`; no other is ever asked. */
  readonly origins: Iterable<string>;
  /** Lower-case hosts, with `:port` where only that port is meant, that may have a private address. Loopback by name may. */
  readonly privateHosts?: readonly string[];
  /** Null: never gives up, for callers with patience of their own. 30 s without it. */
  readonly deadlineMs?: number | null;
  /** Told the status of each redirect that is followed. */
  readonly onRedirect?: ((status: number) => void) | undefined;
  /** Instead of the system's resolver; in tests only. */
  readonly resolve?: Resolve;
}

/**
 * A `fetch` that reaches only the given origins, obeys HTTPS_PROXY, HTTP_PROXY and NO_PROXY, and follows redirects only
 * within the origin, so that no credential leaves it. A host whose address is the machine's own, a neighbour's or a
 * cloud's metadata service is refused when the name has been resolved, for that very connection: a second look at
 * DNS could tell another address. Behind a proxy the proxy resolves names. A private certificate authority comes with
 * Node's own NODE_EXTRA_CA_CERTS. With `redirect: "manual"` only a repository that was renamed is followed, and any other
 * redirect is the answer.
 *
 * @throws EgressRefused for any other origin or such an address, also as the target of a redirect
 */
export function guardedFetch(egress: Egress): GuardedFetch {
  const { origins, privateHosts = [], deadlineMs = DEADLINE_MS, resolve = resolveByDns } = egress;
  const allowed = new Set([...origins].map((origin) => new URL(origin).origin));
  const reasonAgainst = (hostname: string, address: string) => addressProblem(hostname, address, allowed, privateHosts);
  const lookup = vettedLookup(resolve, (hostname, found: LookupAddress) => {
    const problem = reasonAgainst(hostname, found.address);
    return problem === null ? null : new EgressRefused(problem);
  });
  // undici has deadlines of its own, of five minutes.
  const patience = deadlineMs === null ? { headersTimeout: 0, bodyTimeout: 0 } : {};
  const dispatcher = new EnvHttpProxyAgent({ ...patience, connect: { lookup } });

  async function once(url: URL, init: FetchInit): ReturnType<GuardedFetch> {
    if (!allowed.has(url.origin)) throw new EgressRefused(`requests to ${url.origin} are not allowed`);
    const host = bare(url.hostname);
    // An address is connected to without being looked up.
    const problem = isIP(host) === 0 ? null : reasonAgainst(url.hostname, host);
    if (problem !== null) throw new EgressRefused(problem);
    const signal = untilThen(init?.signal ?? null, deadlineMs);
    try {
      return await undiciFetch(url, { ...init, dispatcher, redirect: "manual", signal });
    } catch (error) {
      throw refusalIn(error) ?? error;
    }
  }

  return async (input, init) => {
    let url = new URL(typeof input === "string" || input instanceof URL ? input : input.url);
    let response = await once(url, init);
    for (let hop = 0; hop < MAX_REDIRECTS; hop++) {
      const next = redirectTarget(response, url, init?.method ?? "GET");
      if (next === null || (init?.redirect === "manual" && !BY_NUMBER.test(next.pathname))) break;
      egress.onRedirect?.(response.status);
      await response.body?.cancel();
      url = next;
      response = await once(url, init);
    }
    return response;
  };
}

function untilThen(signal: AbortSignal | null, deadlineMs: number | null): AbortSignal {
  const deadline = deadlineMs === null ? [] : [AbortSignal.timeout(deadlineMs)];
  return AbortSignal.any([...(signal === null ? [] : [signal]), ...deadline]);
}

/** The refusal that stands behind an error of a client, or null. */
export function refusalIn(error: unknown): EgressRefused | null {
  let at = error;
  for (let depth = 0; depth < 5 && at instanceof Error; depth += 1) {
    if (at instanceof EgressRefused) return at;
    at = at.cause;
  }
  return null;
}

/** Why a host must not be reached at an address, or null. */
function addressProblem(
  hostname: string,
  address: string,
  allowed: ReadonlySet<string>,
  privateHosts: readonly string[],
): string | null {
  if (!isPrivateAddress(address)) return null;
  const isOwn = hostname === "localhost" || isLoopbackAddress(bare(hostname));
  if (isOwn && isLoopbackAddress(address)) return null;
  const hosts = [...allowed].map((origin) => new URL(origin)).filter((url) => url.hostname === hostname);
  const isListed = privateHosts.includes(hostname) || hosts.some(({ host }) => privateHosts.includes(host));
  return isListed
    ? null
    : `${hostname} has a private address; where that is meant, list the host in KODIAI_ALLOW_PRIVATE_HOSTS`;
}

function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

/** A repository by its number, which no other can take over: where GitHub sends what asks for one that was renamed. */
const BY_NUMBER = /^(?:\/api\/v3)?\/repositories\/\d+\//;

/** Where a redirect leads, or null when it is none or would change what a write means. */
function redirectTarget(response: Awaited<ReturnType<GuardedFetch>>, from: URL, method: string): URL | null {
  const location = response.headers.get("location");
  if (location === null || ![301, 302, 307, 308].includes(response.status)) return null;
  const target = new URL(location, from);
  // GitHub's documents promise 307 for a write and mean the same write by 301.
  const isSame = response.status >= 307 || (response.status === 301 && BY_NUMBER.test(target.pathname));
  return method.toUpperCase() === "GET" || isSame ? target : null;
}
