// The way out of the process, the only one: what the operator named, and nothing that a pull request or a model says.
import { restStatuses } from "../adapters/github/graphql-refusal.ts";
import { type GuardedFetch, guardedFetch } from "../adapters/github/guarded-fetch.ts";
import { wholeAnswers } from "../adapters/github/whole-answers.ts";
import { EnvVariables } from "../config/env-variables.ts";

export interface EgressWish {
  /** Null: never gives up, for callers with patience of their own. 30 s without it. */
  readonly deadlineMs?: number | null;
  /** Told the status of each redirect that is followed. */
  readonly onRedirect?: (status: number) => void;
  /** The address is our own: a server asked by the command line beside it. */
  readonly own?: boolean;
}

/**
 * `fetch` for one address and nothing else.
 *
 * @param address of the operator: any URL within the origin that is meant
 */
export function egressTo(address: string, { deadlineMs, onRedirect, own = false }: EgressWish = {}): GuardedFetch {
  const { origin, hostname } = new URL(address);
  return guardedFetch({
    origins: [origin],
    privateHosts: own ? [hostname] : privateHosts(),
    onRedirect,
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  });
}

/**
 * `fetch` for GitHub: the API's origin and nothing else, whole answers, and GraphQL's refusals as REST's.
 *
 * @param deadlineMs other than the documented one in tests
 */
export function githubFetch(apiUrl: string, deadlineMs?: number, onRedirect?: (status: number) => void): GuardedFetch {
  const wish = {
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(onRedirect === undefined ? {} : { onRedirect }),
  };
  return restStatuses(wholeAnswers(egressTo(apiUrl, wish)));
}

/**
 * `fetch` for archives of repositories: the hosts to which GitHub's API sends for them, which are asked without a credential, and
 * nothing else. Those of `api.NAME` are at `codeload.NAME`; a GitHub Enterprise Server hands them out itself, or at `codeload.HOST`.
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

/** Hosts that the operator listed, also for plain http: those stand next door. */
function privateHosts(): readonly string[] {
  const { KODIAI_ALLOW_PRIVATE_HOSTS, KODIAI_ALLOW_HTTP_HOSTS } = EnvVariables.shape;
  const { env } = process;
  return [
    ...(KODIAI_ALLOW_PRIVATE_HOSTS.safeParse(env.KODIAI_ALLOW_PRIVATE_HOSTS).data ?? []),
    ...(KODIAI_ALLOW_HTTP_HOSTS.safeParse(env.KODIAI_ALLOW_HTTP_HOSTS).data ?? []),
  ];
}
