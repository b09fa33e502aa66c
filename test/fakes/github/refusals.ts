// What GitHub answers where it refuses, as recorded elsewhere: one table of named answers, each
// with its source and the requests that meet it. Tests plan them for one request, chaos draws them
// at random.
import type { Fault } from "./faults.ts";

export interface Refusal {
  /** Where the shape was recorded. */
  readonly source: string;
  /** The requests that GitHub answers so. */
  readonly match: Fault["match"];
  /** Made when it is sent, because some name a moment. `to` is the new address of what moved. */
  readonly answer: (to?: string) => Pick<Fault, "status" | "headers" | "body">;
}

const DOCS = "https://docs.github.com/rest";
const REVIEWS = { method: "POST", path: /\/pulls\/\d+\/reviews$/ };
const DIFF = { method: "GET", path: /\/pulls\/\d+\/files$|\/compare\// };
const ANYTHING = { path: /^\/repos\// };
const WRITES = { method: "POST", path: /^\/repos\// };
const GRAPHQL = { method: "POST", path: "/graphql" };
const IN_A_QUARTER = () => String(Math.floor(Date.now() / 1000) + 900);

const invalid = (error: Readonly<Record<string, string>>, message = "Validation Failed") => ({
  status: 422,
  body: { message, errors: [error], documentation_url: DOCS },
});

/** GitHub answers 200; the fields of `headers` are of a primary limit. */
const points = (remaining: string, type: string, message: string) => ({
  status: 200,
  headers: {
    "x-ratelimit-remaining": remaining,
    "x-ratelimit-reset": IN_A_QUARTER(),
    "x-ratelimit-resource": "graphql",
  },
  body: { errors: [{ type, message }] },
});

const moved = (status: 301 | 307, message: string, to: string) => ({
  status,
  headers: { location: to },
  body: {
    message,
    url: to,
    documentation_url: `${DOCS}/guides/best-practices-for-using-the-rest-api#follow-redirects`,
  },
});

const SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";

export const REFUSALS = {
  /** Writes that came too fast. */
  "submitted too quickly": {
    source: "intel/dffml issue 1408; derberg/manage-files-in-multiple-repositories pull 5",
    match: REVIEWS,
    answer: () =>
      invalid({ resource: "PullRequestReview", code: "custom", field: "body", message: "was submitted too quickly" }),
  },
  /**
   * The same after about 50 reviews in two minutes; it lasted for three minutes, whatever was sent
   * meanwhile.
   */
  abuse: {
    source: "intel/dffml issue 1408",
    match: REVIEWS,
    answer: () => invalid({ resource: "PullRequestReview", code: "abuse", field: "" }),
  },
  /** The diff of a pull request or comparison is not there yet. */
  "diff not available": {
    source:
      "dorny/paths-filter, a file of 1.26 million lines; 422 with the same words for comparisons of large histories",
    match: DIFF,
    answer: () =>
      invalid(
        { resource: "PullRequest", field: "diff", code: "not_available" },
        "Server Error: Sorry, this diff is taking too long to generate.",
      ),
  },
  /** A comment on a line of a file whose diff GitHub does not show. */
  "path diff too large": {
    source: "octokit/octokit.rb pull 1324",
    match: REVIEWS,
    answer: () =>
      invalid({
        resource: "PullRequestReviewComment",
        code: "custom",
        field: "path",
        message: "path diff too large",
      }),
  },
  /** A permission that was not granted, or is no longer. */
  "not accessible": {
    source: 'docs.github.com, "Troubleshooting the REST API"',
    match: ANYTHING,
    answer: () => ({
      status: 403,
      body: {
        message: "Resource not accessible by integration",
        documentation_url: `${DOCS}/pulls/pulls#get-a-pull-request`,
        status: "403",
      },
    }),
  },
  /** The key or the token is not taken. */
  "bad credentials": {
    source: 'docs.github.com, "Troubleshooting the REST API"',
    match: ANYTHING,
    answer: () => ({
      status: 401,
      body: { message: "Bad credentials", documentation_url: DOCS, status: "401" },
    }),
  },
  "secondary limit": {
    source: 'docs.github.com, "Rate limits for the REST API"',
    match: WRITES,
    answer: () => ({
      status: 403,
      headers: { "retry-after": "60" },
      body: { message: SECONDARY, documentation_url: `${DOCS}/overview/rate-limits-for-the-rest-api` },
    }),
  },
  /** A repository was renamed: a read. */
  "moved, 301": {
    source: 'docs.github.com, "Best practices for using the REST API"',
    match: { method: "GET", path: /^\/repos\// },
    answer: (to = "") => moved(301, "Moved Permanently", to),
  },
  /** A repository was renamed: any other request. */
  "moved, 307": {
    source: 'docs.github.com, "Best practices for using the REST API"',
    match: WRITES,
    answer: (to = "") => moved(307, "Temporary Redirect", to),
  },
  /** GraphQL's points are used up for the next quarter of an hour. */
  "graphql points used up": {
    source:
      'docs.github.com, "Rate limits and query limits for the GraphQL API"; googleapis/repo-automation-bots issue 4020',
    match: GRAPHQL,
    answer: () => points("0", "RATE_LIMITED", "API rate limit exceeded for installation ID 1001."),
  },
  /** Some are left, fewer than the query costs. */
  "graphql points too few": {
    source: "octokit/plugin-throttling.js issue 824",
    match: GRAPHQL,
    answer: () => points("4", "RATE_LIMIT", "API rate limit already exceeded for installation ID 1001."),
  },
  "graphql secondary limit": {
    source: 'docs.github.com, "Rate limits and query limits for the GraphQL API"',
    match: GRAPHQL,
    answer: () => ({
      status: 200,
      headers: { "retry-after": "120" },
      body: {
        documentation_url: "https://docs.github.com/graphql/overview/rate-limits-and-node-limits-for-the-graphql-api",
        message: SECONDARY,
      },
    }),
  },
  "graphql timeout": {
    source: "octokit/plugin-retry.js",
    match: GRAPHQL,
    answer: () => ({
      status: 200,
      body: {
        data: null,
        errors: [
          {
            message:
              "Something went wrong while executing your query. This may be the result of a timeout, or it could be a GitHub bug. Please include `0403:094E:157B29B:29134A0:61E4695A` when reporting this issue.",
          },
        ],
      },
    }),
  },
  /** A field that the token may not ask for; `data` holds what else was asked. */
  "graphql forbidden": {
    source: "github.com community discussion 44650; github/gh-aw issue 35726 (resolveReviewThread)",
    match: GRAPHQL,
    answer: () => ({
      status: 200,
      body: { data: null, errors: [{ type: "FORBIDDEN", message: "Resource not accessible by integration" }] },
    }),
  },
} as const satisfies Readonly<Record<string, Refusal>>;

export type RefusalName = keyof typeof REFUSALS;

/**
 * The named refusal as a fault, for the requests that GitHub answers so; `over` narrows or repeats
 * it.
 */
export function refused(name: RefusalName, over: Partial<Fault> & { readonly to?: string } = {}): Fault {
  const { match, answer }: Refusal = REFUSALS[name];
  const { to, ...fault } = over;
  return { match, ...answer(to), ...fault };
}
