// Every GitHub operation that the fake answers, with the App permission that GitHub asks for it.
// One list, two products: the door checks tokens against it, and scripts/trim-openapi.ts cuts
// GitHub's description down to it.

/**
 * Who may call: anyone, the App itself (a JWT), anyone with a valid token, or a token that holds
 * one of the permissions.
 */
export type Need = "anyone" | "app" | "token" | readonly Permission[];

/** `NAME:LEVEL` as in app.yml; write includes read. */
export type Permission = `${string}:${"read" | "write"}`;

const REPO = "/repos/{owner}/{repo}";
const PULL = `${REPO}/pulls/{pull_number}`;
const REVIEW = `${PULL}/reviews/{review_id}`;
const ISSUE = `${REPO}/issues/{issue_number}`;
const ISSUE_COMMENT = `${REPO}/issues/comments/{comment_id}`;
const REVIEW_COMMENT = `${REPO}/pulls/comments/{comment_id}`;

const PULL_READ: Need = ["pull_requests:read"];
const PULL_WRITE: Need = ["pull_requests:write"];
// GitHub takes either permission for comments in a pull request's conversation, reactions to them
// and labels.
const TALK_READ: Need = ["issues:read", "pull_requests:read"];
const TALK_WRITE: Need = ["issues:write", "pull_requests:write"];
const CODE_READ: Need = ["contents:read"];

/** GraphQL has one address for all, of which GitHub's OpenAPI description knows nothing. */
export const GRAPHQL = "POST /graphql";
/**
 * `METHOD /path/{template}` as in GitHub's OpenAPI description. Source of the permissions: GitHub's
 * REST reference.
 */
export const OPERATIONS: Readonly<Record<string, Need>> = {
  "POST /app-manifests/{code}/conversions": "anyone",
  "GET /app": "app",
  "GET /app/hook/config": "app",
  "PATCH /app/hook/config": "app",
  "GET /app/installations": "app",
  "GET /app/installations/{installation_id}": "app",
  "POST /app/installations/{installation_id}/access_tokens": "app",
  "GET /orgs/{org}/installation": "app",
  "GET /installation/repositories": ["metadata:read"],
  [`GET ${REPO}/installation`]: "app",
  "GET /rate_limit": "token",
  "GET /search/issues": "token",
  "GET /user": "token",
  "GET /user/installations": "token",
  "GET /user/installations/{installation_id}/repositories": "token",
  "GET /users/{username}": "token",
  [`GET ${REPO}`]: ["metadata:read"],
  [`PATCH ${REPO}`]: ["administration:write"],
  [`GET ${REPO}/collaborators/{username}/permission`]: ["metadata:read"],
  [`GET ${REPO}/branches/{branch}`]: CODE_READ,
  [`POST ${REPO}/branches/{branch}/rename`]: ["contents:write"],
  [`GET ${REPO}/commits`]: CODE_READ,
  [`GET ${REPO}/commits/{ref}`]: CODE_READ,
  [`GET ${REPO}/compare/{basehead}`]: CODE_READ,
  [`GET ${REPO}/contents/{path}`]: CODE_READ,
  [`PUT ${REPO}/contents/{path}`]: ["contents:write"],
  [`GET ${REPO}/code-scanning/alerts`]: ["security_events:read"],
  [`GET ${REPO}/code-scanning/analyses`]: ["security_events:read"],
  [`GET ${REPO}/git/blobs/{file_sha}`]: CODE_READ,
  [`GET ${REPO}/git/commits/{commit_sha}`]: CODE_READ,
  [`POST ${REPO}/git/refs`]: ["contents:write"],
  [`DELETE ${REPO}/git/refs/{ref}`]: ["contents:write"],
  [`GET ${REPO}/git/trees/{tree_sha}`]: CODE_READ,
  [`GET ${REPO}/tarball/{ref}`]: CODE_READ,
  [`GET ${REPO}/pulls`]: PULL_READ,
  [`POST ${REPO}/pulls`]: PULL_WRITE,
  [`GET ${PULL}`]: PULL_READ,
  [`PATCH ${PULL}`]: PULL_WRITE,
  [`GET ${PULL}/files`]: PULL_READ,
  [`GET ${PULL}/commits`]: PULL_READ,
  [`PUT ${PULL}/merge`]: ["contents:write"],
  [`GET ${PULL}/reviews`]: PULL_READ,
  [`POST ${PULL}/reviews`]: PULL_WRITE,
  [`GET ${REVIEW}`]: PULL_READ,
  [`DELETE ${REVIEW}`]: PULL_WRITE,
  [`POST ${REVIEW}/events`]: PULL_WRITE,
  [`GET ${REVIEW}/comments`]: PULL_READ,
  [`GET ${PULL}/comments`]: PULL_READ,
  [`POST ${PULL}/comments`]: PULL_WRITE,
  [`POST ${PULL}/comments/{comment_id}/replies`]: PULL_WRITE,
  [`GET ${REPO}/pulls/comments`]: PULL_READ,
  [`GET ${REVIEW_COMMENT}`]: PULL_READ,
  [`PATCH ${REVIEW_COMMENT}`]: PULL_WRITE,
  [`DELETE ${REVIEW_COMMENT}`]: PULL_WRITE,
  [`GET ${REVIEW_COMMENT}/reactions`]: PULL_READ,
  [`POST ${REVIEW_COMMENT}/reactions`]: PULL_WRITE,
  [`GET ${ISSUE}`]: ["issues:read"],
  [`GET ${ISSUE}/comments`]: TALK_READ,
  [`POST ${ISSUE}/comments`]: TALK_WRITE,
  [`GET ${ISSUE}/reactions`]: TALK_READ,
  [`POST ${ISSUE}/reactions`]: TALK_WRITE,
  [`DELETE ${ISSUE}/reactions/{reaction_id}`]: TALK_WRITE,
  [`GET ${REPO}/issues/comments`]: TALK_READ,
  [`GET ${ISSUE_COMMENT}`]: TALK_READ,
  [`PATCH ${ISSUE_COMMENT}`]: TALK_WRITE,
  [`DELETE ${ISSUE_COMMENT}`]: TALK_WRITE,
  [`GET ${ISSUE_COMMENT}/reactions`]: TALK_READ,
  [`POST ${ISSUE_COMMENT}/reactions`]: TALK_WRITE,
  [`POST ${REPO}/check-runs`]: ["checks:write"],
  [`PATCH ${REPO}/check-runs/{check_run_id}`]: ["checks:write"],
  [`GET ${REPO}/check-runs/{check_run_id}`]: ["checks:read"],
  [`GET ${REPO}/commits/{ref}/check-runs`]: ["checks:read"],
  [`GET ${REPO}/commits/{ref}/check-suites`]: ["checks:read"],
};
