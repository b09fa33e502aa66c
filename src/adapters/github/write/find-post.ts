// The marker of a post of ours, unforgeable and valid for one place, head and kind only; and the
// post on GitHub with it. Only posts by our own account count: anyone can copy a marker.

import { createHmac } from "node:crypto";
import type { Repo } from "../../../domain/job.ts";
import { hasSummaryMarker, parseReviewMarker } from "../../../domain/review/marker.ts";
import type { Post, Wanted } from "../../../ports/writes.ts";
import type { GitHub } from "../clients.ts";
import { placeOf } from "../requests.ts";
import { translated } from "../translate-error.ts";

/** The check run's name beside the commit, and in the list of checks that a branch may require. */
export const CHECK_NAME = "Kodiai";

/** Hex digits of a marker: 128 bits. */
const LENGTH = 32;

/** @param secret of the App: its private key, about which a marker reveals nothing */
export function signWrite(secret: string, { repo, number, headSha, kind, subject }: Wanted): string {
  const key = createHmac("sha256", secret.replace(/\s+/g, "")).update("kodiai markers").digest();
  const payload = JSON.stringify([repo.host, repo.id, number, headSha, kind, subject]);
  return createHmac("sha256", key).update(payload).digest("hex").slice(0, LENGTH);
}

interface Written {
  readonly user?: { readonly login: string; readonly type: string } | null;
}

/** Ours by its author. GitHub reserves names with brackets, such as `kodiai[bot]`, for Apps. */
export function isOurs({ user }: Written, botLogin: string): boolean {
  return user?.login === botLogin && user.type === "Bot";
}

/** Comments on the lines and files of a pull request. */
export function reviewCommentsOf(github: GitHub, repo: Repo, number: number) {
  return github.paginate(github.rest.pulls.listReviewComments, {
    ...placeOf(repo),
    pull_number: number,
    per_page: 100,
  });
}

function reviewsOf(github: GitHub, repo: Repo, number: number) {
  return github.paginate(github.rest.pulls.listReviews, { ...placeOf(repo), pull_number: number, per_page: 100 });
}

function conversationOf(github: GitHub, repo: Repo, number: number) {
  return github.paginate(github.rest.issues.listComments, { ...placeOf(repo), issue_number: number, per_page: 100 });
}

/** Our summary; undefined when there is none. */
export async function summaryOf(github: GitHub, botLogin: string, repo: Repo, number: number) {
  const comments = await conversationOf(github, repo, number);
  return comments.find((comment) => isOurs(comment, botLogin) && hasSummaryMarker(comment.body ?? ""));
}

/** The head of our newest review; null without one. */
export function lastReviewedHead(github: GitHub, botLogin: string, repo: Repo, number: number): Promise<string | null> {
  return translated(async () => {
    const heads = (await reviewsOf(github, repo, number)).flatMap((one) =>
      isOurs(one, botLogin) ? (parseReviewMarker(one.body) ?? []) : [],
    );
    return heads.at(-1) ?? null;
  });
}

/** The post with the marker; null while GitHub shows none. A check run needs its own client. */
export function findPost(github: GitHub, botLogin: string, wanted: Wanted, marker: string): Promise<Post | null> {
  return translated(() => look(github, botLogin, wanted, marker));
}

async function look(github: GitHub, botLogin: string, wanted: Wanted, marker: string): Promise<Post | null> {
  const { kind, repo, number, subject } = wanted;
  if (kind === "check") return findCheck(github, botLogin, wanted, marker);
  if (kind === "reaction") return findReaction(github, botLogin, wanted);
  const isIt = (one: Written & { readonly body?: string | null; readonly state?: string }) =>
    isOurs(one, botLogin) &&
    one.state !== "PENDING" &&
    // There is one summary, even if an earlier version wrote it.
    (one.body?.includes(marker) === true || (kind === "summary" && hasSummaryMarker(one.body ?? "")));
  const posts =
    kind === "review"
      ? await reviewsOf(github, repo, number)
      : kind === "file" || (kind === "answer" && subject.startsWith("thread_"))
        ? await reviewCommentsOf(github, repo, number)
        : await conversationOf(github, repo, number);
  const found = posts.find(isIt);
  return found === undefined ? null : { id: found.id, url: found.html_url };
}

/** A reaction has no text for a marker, and there is one of each kind. */
async function findReaction(github: GitHub, botLogin: string, { repo, number }: Wanted): Promise<Post | null> {
  const place = { ...placeOf(repo), issue_number: number, content: "+1", per_page: 100 } as const;
  const found = (await github.paginate(github.rest.reactions.listForIssue, place)).find((one) => isOurs(one, botLogin));
  return found === undefined ? null : { id: found.id, url: "" };
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
