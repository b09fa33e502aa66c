// The one HTTP client: allowed origins, public addresses, the operator's proxy, a deadline.
import { type LookupAddress, lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import type { fetch as undiciFetch } from "undici";
import { isLoopbackAddress, isPrivateAddress } from "../private-address.ts";

const DEADLINE_MS = 30_000;
const MAX_REDIRECTS = 3;

type FetchInput = Parameters<typeof undiciFetch>[0];
type FetchInit = Parameters<typeof undiciFetch>[1];
export type GuardedFetch = (input: FetchInput, init?: FetchInit) => ReturnType<typeof undiciFetch>;

/** A request to an origin that is not allowed: a bug or an attack, never something to retry. */
export class EgressRefused extends Error {
  override readonly name = "EgressRefused";
  readonly code = "EGRESS_REFUSED";
}

interface Egress {
  /** `https://api.github.com`; requests to any other origin are refused. */
  readonly origins: Iterable<string>;
  /** Hosts in lower case that may have a private address, with `:port` for one port only. */
  readonly privateHosts?: readonly string[];
  /** Null: no deadline, for callers with their own. Default: 30 s. */
  readonly deadlineMs?: number | null | undefined;
  /** Replaces the system's resolver; in tests only. */
  readonly resolve?: Resolve;
}

/**
 * A `fetch` that reaches only the given origins, obeys HTTPS_PROXY, HTTP_PROXY and NO_PROXY (see
 * also goesDirect), and follows redirects only within the origin, so that no credential leaves it.
 * A host with a private, loopback or cloud metadata address is refused for the very connection that
 * resolved its name: a second DNS lookup could return another address. Behind a proxy the proxy
 * resolves names. A private certificate authority comes with Node's own NODE_EXTRA_CA_CERTS. With
 * `redirect: "manual"` only a renamed repository's redirect is followed; any other redirect is
 * returned as the answer.
 *
 * @throws EgressRefused for any other origin or such an address, also as the target of a redirect
 */
export function guardedFetch(egress: Egress): GuardedFetch {
  const { origins, privateHosts = [], deadlineMs = DEADLINE_MS, resolve = resolveByDns } = egress;
  const allowed = new Set([...origins].map((origin) => new URL(origin).origin));

  /** Why a host must not be reached at an address, or null. */
  function reasonAgainst(hostname: string, address: string): string | null {
    if (!isPrivateAddress(address)) return null;
    const isOwn = hostname === "localhost" || isLoopbackAddress(bare(hostname));
    if (isOwn && isLoopbackAddress(address)) return null;
    const hosts = [...allowed].map((origin) => new URL(origin)).filter((url) => url.hostname === hostname);
    const isListed = privateHosts.includes(hostname) || hosts.some(({ host }) => privateHosts.includes(host));
    if (isListed) return null;
    return `${hostname} has a private address; if that is intended, list the host in KODIAI_ALLOW_PRIVATE_HOSTS`;
  }

  const lookup = vettedLookup(resolve, (hostname, found: LookupAddress) => {
    const problem = reasonAgainst(hostname, found.address);
    return problem === null ? null : new EgressRefused(problem);
  });
  // undici has deadlines of its own, of five minutes.
  const patience = deadlineMs === null ? { headersTimeout: 0, bodyTimeout: 0 } : {};
  let client: ReturnType<typeof open> | null = null;
  // Loaded with the first request: many commands make none, and it takes time to start.
  async function open() {
    const { Agent, EnvHttpProxyAgent, fetch } = await import("undici");
    const options = { ...patience, connect: { lookup } };
    return { fetch, direct: new Agent(options), proxy: new EnvHttpProxyAgent(options) };
  }

  async function once(url: URL, init: FetchInit): ReturnType<GuardedFetch> {
    if (!allowed.has(url.origin)) throw new EgressRefused(`requests to ${url.origin} are not allowed`);
    const host = bare(url.hostname);
    // A literal address is connected to without a lookup, so it is checked here.
    const problem = isIP(host) === 0 ? null : reasonAgainst(url.hostname, host);
    if (problem !== null) throw new EgressRefused(problem);
    client ??= open();
    const { fetch, direct, proxy } = await client;
    const dispatcher = goesDirect(url) ? direct : proxy;
    const deadline = deadlineMs === null ? null : AbortSignal.timeout(deadlineMs);
    const signal = AbortSignal.any([init?.signal ?? null, deadline].filter((one) => one !== null));
    try {
      return await fetch(url, { ...init, dispatcher, redirect: "manual", signal });
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
      await response.body?.cancel();
      url = next;
      response = await once(url, init);
    }
    return response;
  };
}

/** The refusal that caused a client's error, or null. */
export function refusalIn(error: unknown): EgressRefused | null {
  let at = error;
  for (let depth = 0; depth < 5 && at instanceof Error; depth += 1) {
    if (at instanceof EgressRefused) return at;
    at = at.cause;
  }
  return null;
}

function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

/** A repository by its id, which no other can take over: GitHub redirects renamed ones there. */
const BY_NUMBER = /^(?:\/api\/v3)?\/repositories\/\d+\//;

/** Where a redirect leads; null without one, or if it would change what a write means. */
function redirectTarget(response: Awaited<ReturnType<GuardedFetch>>, from: URL, method: string): URL | null {
  const location = response.headers.get("location");
  if (location === null || ![301, 302, 307, 308].includes(response.status)) return null;
  const target = new URL(location, from);
  // GitHub's documentation promises 307 for a write, and 301 also keeps the write.
  const isSame = response.status >= 307 || (response.status === 301 && BY_NUMBER.test(target.pathname));
  return method.toUpperCase() === "GET" || isSame ? target : null;
}

/** True for loopback and names without a dot: no proxy knows them, and they may be plain http. */
export function goesDirect({ hostname }: URL): boolean {
  const host = bare(hostname).replace(/\.$/, "").toLowerCase();
  const isName = isIP(host) === 0;
  return isLoopbackAddress(host) || (isName && (!host.includes(".") || host.endsWith(".localhost")));
}

/** All addresses of a name, from the system's resolver. */
type Resolve = (
  hostname: string,
  callback: (error: NodeJS.ErrnoException | null, found: readonly LookupAddress[]) => void,
) => void;

const resolveByDns: Resolve = (hostname, callback) => lookup(hostname, { all: true }, callback);

/**
 * A `lookup` for sockets.
 *
 * @param judge the error to refuse an address with, or null; one refused address refuses the name,
 *   because DNS rebinding uses names with a public and a private address
 */
function vettedLookup(
  resolve: Resolve,
  judge: (hostname: string, found: LookupAddress) => Error | null,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, (error, found) => {
      const [first] = found ?? [];
      const refusal = error ?? found.map((each) => judge(hostname, each)).find((each) => each !== null) ?? null;
      if (refusal !== null || first === undefined) {
        const failed = refusal ?? Object.assign(new Error(`${hostname} has no address`), { code: "ENOTFOUND" });
        callback(failed, "", 0);
      } else if (options.all === true) callback(null, [...found]);
      else callback(null, first.address, first.family);
    });
  };
}
