// Finds a post of ours on GitHub by its marker. Only posts by our own account count: anyone can copy a marker.

import { hasSummaryMarker } from "../../domain/review/marker.ts";
import type { Post, Wanted } from "../../ports/writes.ts";
import type { GitHub } from "./clients.ts";
import { placeOf } from "./requests.ts";
import { translated } from "./translate-error.ts";

/** The check run's name beside the commit, and in the list of checks that a branch may require. */
export const CHECK_NAME = "Kodiai";

interface Written {
  readonly user?: { readonly login: string; readonly type: string } | null;
}

/** Ours by its author. GitHub reserves names with brackets, such as `kodiai[bot]`, for Apps. */
export function isOurs({ user }: Written, botLogin: string): boolean {
  return user?.login === botLogin && user.type === "Bot";
}

/**
 * The post with the marker; null when there is none, or GitHub does not show it yet.
 *
 * @param github may read the pull request; for a check run, check runs
 */
export function findPost(github: GitHub, botLogin: string, wanted: Wanted, marker: string): Promise<Post | null> {
  return translated(() => look(github, botLogin, wanted, marker));
}

async function look(github: GitHub, botLogin: string, wanted: Wanted, marker: string): Promise<Post | null> {
  const carries = (body: string | null | undefined) => body?.includes(marker) === true;
  const of = { ...placeOf(wanted.repo), per_page: 100 };
  const isInThread = wanted.kind === "answer" && wanted.subject.startsWith("thread_");
  if (wanted.kind === "check") return findCheck(github, botLogin, wanted, marker);
  if (wanted.kind === "review") {
    const reviews = await github.paginate(github.rest.pulls.listReviews, { ...of, pull_number: wanted.number });
    const found = reviews.find((one) => isOurs(one, botLogin) && one.state !== "PENDING" && carries(one.body));
    return found === undefined ? null : postOf(found);
  }
  if (wanted.kind === "file" || isInThread) {
    const comments = await github.paginate(github.rest.pulls.listReviewComments, {
      ...of,
      pull_number: wanted.number,
    });
    const found = comments.find((one) => isOurs(one, botLogin) && carries(one.body));
    return found === undefined ? null : postOf(found);
  }
  const comments = await github.paginate(github.rest.issues.listComments, { ...of, issue_number: wanted.number });
  // There is one summary, even if an earlier version wrote it.
  const isIt = (body: string | undefined) =>
    carries(body) || (wanted.kind === "summary" && hasSummaryMarker(body ?? ""));
  const found = comments.find((one) => isOurs(one, botLogin) && isIt(one.body));
  return found === undefined ? null : postOf(found);
}

function postOf({ id, html_url: url }: { readonly id: number; readonly html_url: string }): Post {
  return { id, url };
}

async function findCheck(github: GitHub, botLogin: string, wanted: Wanted, marker: string): Promise<Post | null> {
  const { data } = await github.rest.checks.listForRef({
    ...placeOf(wanted.repo),
    ref: wanted.headSha,
    check_name: CHECK_NAME,
    filter: "all",
    per_page: 100,
  });
  const slug = botLogin.replace(/\[bot\]$/, "");
  const found = data.check_runs.find((one) => one.app?.slug === slug && one.external_id?.includes(marker) === true);
  return found === undefined ? null : { id: found.id, url: found.html_url ?? "" };
}
