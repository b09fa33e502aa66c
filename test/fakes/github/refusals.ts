// What GitHub answers where it refuses, as recorded elsewhere, each with its source. To be planned as faults.
import type { Fault } from "./faults.ts";

type Answer = Pick<Fault, "status" | "headers" | "body">;

/** Writes that came too fast, with 422. Sources: intel/dffml issue 1408 and derberg/manage-files-in-multiple-repositories pull 5. */
export function submittedTooQuickly(): Answer {
  const errors = [
    { resource: "PullRequestReview", code: "custom", field: "body", message: "was submitted too quickly" },
  ];
  return {
    status: 422,
    body: { message: "Validation Failed", errors, documentation_url: "https://docs.github.com/rest" },
  };
}

/** The same after about 50 reviews in two minutes; it lasted for three minutes, whatever was sent meanwhile. */
export function abuse(): Answer {
  const errors = [{ resource: "PullRequestReview", code: "abuse", field: "" }];
  return {
    status: 422,
    body: { message: "Validation Failed", errors, documentation_url: "https://docs.github.com/rest" },
  };
}

/**
 * The diff of a pull request or comparison is not there yet. Source: what dorny/paths-filter was answered for a file of 1.26 million
 * lines, as its users quote it; the status 422 with the same words is quoted for comparisons of large histories.
 */
export function diffNotAvailable(): Answer {
  const errors = [{ resource: "PullRequest", field: "diff", code: "not_available" }];
  const message = "Server Error: Sorry, this diff is taking too long to generate.";
  return { status: 422, body: { message, errors, documentation_url: "https://docs.github.com/rest/pulls/pulls" } };
}

/** A comment on a line of a file whose diff GitHub does not show. Source: octokit/octokit.rb pull 1324. */
export const PATH_DIFF_TOO_LARGE = {
  resource: "PullRequestReviewComment",
  code: "custom",
  field: "path",
  message: "path diff too large",
} as const;

/** A permission that was not granted, or is no longer. Source: docs.github.com, "Troubleshooting the REST API". */
export function notAccessible(): Answer {
  const documentation_url = "https://docs.github.com/rest/pulls/pulls#get-a-pull-request";
  return { status: 403, body: { message: "Resource not accessible by integration", documentation_url, status: "403" } };
}

/** The key or the token is not taken. Source: docs.github.com, "Troubleshooting the REST API". */
export function badCredentials(): Answer {
  return {
    status: 401,
    body: { message: "Bad credentials", documentation_url: "https://docs.github.com/rest", status: "401" },
  };
}

/** A repository was renamed. Reads get 301, other requests 307. Source: docs.github.com, "Best practices for using the REST API". */
export function moved(status: 301 | 307, to: string): Answer {
  const documentation_url =
    "https://docs.github.com/rest/guides/best-practices-for-using-the-rest-api#follow-redirects";
  const message = status === 301 ? "Moved Permanently" : "Temporary Redirect";
  return { status, headers: { location: to }, body: { message, url: to, documentation_url } };
}
