// All outgoing network access: to the operator's addresses, never to one from a pull request.

import { type GuardedFetch, guardedFetch } from "../adapters/github/guarded-fetch.ts";
import { restStatuses } from "../adapters/github/translate-error.ts";
import { wholeAnswers } from "../adapters/github/whole-answers.ts";
import { EnvVariables } from "../config/environment/env-variables.ts";
import { UsageError } from "../config/usage-error.ts";

interface EgressWish {
  /** Null: no timeout, for callers with their own. 30 s when absent. */
  readonly deadlineMs?: number | null | undefined;
  /** The address is our own: a server on the same machine as the command line. */
  readonly own?: boolean;
}

/** `fetch` for the origin of an address of the operator's. @throws UsageError for a wrong proxy */
export function egressTo(address: string, { deadlineMs, own = false }: EgressWish = {}): GuardedFetch {
  const { origin, hostname } = new URL(address);
  checkProxies();
  return guardedFetch({
    origins: [origin],
    privateHosts: own ? [hostname] : privateHosts(),
    deadlineMs,
  });
}

/** `fetch` for GitHub: complete responses, and GraphQL's refusals with REST's status codes. */
export function githubFetch(apiUrl: string, deadlineMs?: number): GuardedFetch {
  return restStatuses(wholeAnswers(egressTo(apiUrl, { deadlineMs })));
}

/**
 * `fetch` for archives: only the hosts to which GitHub's API redirects, without credentials.
 * Archives of `api.NAME` are at `codeload.NAME`; a GitHub Enterprise Server serves them itself, or
 * at `codeload.HOST`.
 */
export function archiveFetch(apiUrl: string): GuardedFetch {
  const { protocol, origin, hostname, port } = new URL(apiUrl);
  const name = hostname.replace(/^api\./, "");
  const codeload = URL.parse(`${protocol}//codeload.${name}${port === "" ? "" : `:${port}`}`)?.origin;
  const own = name === hostname ? [origin] : [];
  const listed = privateHosts();
  return guardedFetch({
    origins: codeload === undefined ? own : [...own, codeload],
    privateHosts: [...listed, ...listed.map((host) => `codeload.${host}`)],
  });
}

/** The server checks all variables at its start; a command those that it uses. */
function checkProxies(): void {
  for (const name of ["HTTPS_PROXY", "HTTP_PROXY"] as const) {
    const value = (process.env[name.toLowerCase()] ?? process.env[name] ?? "").trim();
    const { error } = EnvVariables.shape[name].safeParse(value === "" ? undefined : value);
    if (error !== undefined) throw new UsageError(`${name} ${error.issues[0]?.message}`);
  }
}

function privateHosts(): readonly string[] {
  const { KODIAI_ALLOW_PRIVATE_HOSTS, KODIAI_ALLOW_HTTP_HOSTS } = EnvVariables.shape;
  const { env } = process;
  return [
    ...(KODIAI_ALLOW_PRIVATE_HOSTS.safeParse(env.KODIAI_ALLOW_PRIVATE_HOSTS).data ?? []),
    ...(KODIAI_ALLOW_HTTP_HOSTS.safeParse(env.KODIAI_ALLOW_HTTP_HOSTS).data ?? []),
  ];
}
