// Decides whether a pull request is reviewed, from values alone; every no has a readable reason.
import { globPattern } from "../config/patterns.ts";
import type { RepoConfig } from "../config/repo-config.ts";
import type { ReviewJob } from "../domain/job.ts";
import { isDependencyBot, type PullRequest } from "../domain/pull-request.ts";
import { holdTag } from "../domain/title-tags.ts";

/**
 * Applies people's decisions, the configuration and the title. A person's explicit request overrides everything but a
 * lock.
 *
 * @param review the `review` part of the effective configuration
 * @param pausedBy who paused reviews of the pull request; null when they are not paused
 * @returns why not, or null to continue
 */
export function heldBack(
  job: ReviewJob,
  pull: PullRequest,
  review: RepoConfig["review"],
  pausedBy: string | null,
): string | null {
  if (pull.locked && job.trigger !== "command-line") return "the conversation is locked";
  if (job.explicit) return null;
  if (pausedBy !== null) return `paused by @${pausedBy}`;
  if (!review.enabled) return "review.enabled is false";
  if (pull.draft && !review.drafts) return "the pull request is a draft";
  const byBot = botReason(pull, review.dependencyBots);
  if (byBot !== null) return byBot;
  const branch = pull.base.ref;
  if (!admits(review.baseBranches, (glob) => isBranch(glob, branch)))
    return `review.baseBranches leaves out the base branch ${branch}`;
  // GitHub's label names are unique without regard to case.
  const labels = new Set(pull.labels.map((name) => name.toLowerCase()));
  if (!admits(review.labels, (pattern) => labels.has(pattern.toLowerCase())))
    return "review.labels leaves out its labels";
  return titleReason(pull.title, review.ignoreTitleKeywords);
}

function botReason({ author }: PullRequest, dependencyBots: boolean): string | null {
  if (author.type !== "Bot") return null;
  if (!isDependencyBot(author.id)) return `opened by a bot, ${author.login}`;
  return dependencyBots ? null : `opened by ${author.login} and review.dependencyBots is false`;
}

/** At least one positive pattern must match, if there are any, and no pattern after a `!`. */
function admits(patterns: readonly string[], matches: (pattern: string) => boolean): boolean {
  const wanted = patterns.filter((pattern) => !pattern.startsWith("!"));
  const unwanted = patterns.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1));
  return !unwanted.some(matches) && (wanted.length === 0 || wanted.some(matches));
}

function titleReason(title: string, keywords: readonly string[]): string | null {
  const tag = holdTag(title);
  if (tag !== null) return `the title is tagged [${tag}]`;
  const keyword = keywords.find((word) => holdsWord(title.toLowerCase(), word.toLowerCase()));
  return keyword === undefined ? null : `the title contains "${keyword}", one of review.ignoreTitleKeywords`;
}

const LETTER = /[\p{L}\p{N}_]/u;

/** True when `text` contains `word` as a whole word: "tab" is not in "stable". */
function holdsWord(text: string, word: string): boolean {
  if (word === "") return false;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    const joinedBefore = LETTER.test(text.charAt(at)) && LETTER.test(text.charAt(at - 1));
    const joinedAfter = LETTER.test(text.charAt(end - 1)) && LETTER.test(text.charAt(end));
    if (!joinedBefore && !joinedAfter) return true;
  }
  return false;
}

/** Whether a glob matches a whole branch name; an invalid glob, which the configuration has reported, matches none. */
function isBranch(glob: string, branch: string): boolean {
  const read = globPattern(glob);
  return "matches" in read && read.matches(branch);
}
