// GraphQL answers 200 where REST refuses. Rate limits and timeouts get the status that REST would give them, so that
// translate-error.ts handles both; other errors keep their type.
import type { GuardedFetch } from "./guarded-fetch.ts";

/** One entry of a GraphQL answer's `errors`. */
interface GraphqlError {
  readonly type?: string;
  readonly message?: string;
}

/** Documented, and observed (octokit/plugin-throttling.js, issue 824). */
const PRIMARY_LIMIT: ReadonlySet<unknown> = new Set(["RATE_LIMITED", "RATE_LIMIT"]);
/** GitHub's messages: docs.github.com, "Rate limits and query limits for the GraphQL API", and "Troubleshooting". */
const SECONDARY_LIMIT = /secondary rate limit|abuse detection/i;
const TIMEOUT = /something went wrong while executing your query|couldn't respond to your request in time/i;

/**
 * The same fetch, whose GraphQL answers carry REST's status if GitHub refuses temporarily: 403 for a rate limit, with
 * `x-ratelimit-remaining: 0` for the primary one (which GitHub reports before the limit is used up, if a query would exceed it), 502
 * for a timeout. The body becomes REST's `{message}`.
 */
export function restStatuses(fetch: GuardedFetch): GuardedFetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.status !== 200 || !/\/graphql$/.test(String(input))) return response;
    const answer: unknown = await response.clone().json();
    // A secondary limit may also come with REST's body.
    const errors = [...errorsOf(answer), (answer ?? {}) as GraphqlError];
    const refused = errors.find(({ message = "" }) => TIMEOUT.test(message) || SECONDARY_LIMIT.test(message));
    const exceeded = errors.find(({ type }) => PRIMARY_LIMIT.has(type));
    const error = exceeded ?? refused;
    if (error === undefined) return response;
    const headers = { ...Object.fromEntries(response.headers), ...(exceeded && { "x-ratelimit-remaining": "0" }) };
    const status = exceeded === undefined && TIMEOUT.test(error.message ?? "") ? 502 : 403;
    // Node's own class and the client's differ in name only.
    return Response.json({ message: error.message }, { status, headers }) as unknown as typeof response;
  };
}

/** The types of a GraphQL answer's errors, such as `NOT_FOUND`; empty for any other error. */
export function errorTypes(error: unknown): readonly string[] {
  if (!(error instanceof Error && error.name === "GraphqlResponseError")) return [];
  return errorsOf(error).flatMap(({ type }) => type ?? []);
}

function errorsOf(answer: unknown): readonly GraphqlError[] {
  const { errors } = (answer ?? {}) as { readonly errors?: unknown };
  return Array.isArray(errors) ? (errors as readonly GraphqlError[]) : [];
}
