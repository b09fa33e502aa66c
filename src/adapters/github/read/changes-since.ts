// What a push changed, from GitHub's comparison of two commits.

import type { Repo } from "../../../domain/job.ts";
import type { PullRequest } from "../../../domain/pull-request.ts";
import type { ChangesSince } from "../../../ports.ts";
import type { GitHub } from "../clients.ts";
import { placeOf, statusOf } from "../requests.ts";
import { isNotReady } from "../translate-error.ts";
import { mergeBaseOf } from "./merge-base.ts";
import { COMPARED_FILES, listedAs } from "./unmade-diff.ts";

/**
 * Compares the head of an earlier review with this one: one request, and two more when the base has moved.
 *
 * @returns `unknown` when the earlier head was removed or is not an ancestor, when the branch leaves its base elsewhere, or when
 *   more files changed than GitHub lists
 */
export async function changesSince(
  github: GitHub,
  repo: Repo,
  pull: PullRequest,
  earlier: { readonly headSha: string; readonly baseSha: string },
): Promise<ChangesSince> {
  const at = placeOf(repo);
  try {
    const basehead = `${earlier.headSha}...${pull.head.sha}`;
    const { data } = await github.rest.repos.compareCommitsWithBasehead({ ...at, basehead, per_page: 100 });
    if (data.status !== "ahead" && data.status !== "identical") {
      return unknown("the branch was rewritten since the last review");
    }
    if (earlier.baseSha !== pull.base.sha) {
      const before = await mergeBaseOf(github, repo, earlier.baseSha, earlier.headSha);
      const now = await mergeBaseOf(github, repo, pull.base.sha, pull.head.sha);
      if (before !== now) return unknown("the branch starts from another commit of its base than at the last review");
    }
    const files = (data.files ?? []).map(listedAs);
    if (files.length >= COMPARED_FILES) return unknown("too many files changed since the last review");
    return { kind: "since", changes: { kind: "listing", files, total: files.length } };
  } catch (error) {
    const reason = unknownBy(error);
    if (reason === null) throw error;
    return unknown(reason);
  }
}

function unknown(reason: string): ChangesSince {
  return { kind: "unknown", reason };
}

/** Why GitHub has no comparison, so that everything is read again; null for another error. */
function unknownBy(error: unknown): string | null {
  if (isNotReady(error)) return "GitHub could not compare this head with that of the last review";
  return statusOf(error) === 404 ? "the head of the last review no longer exists" : null;
}
