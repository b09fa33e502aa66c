// Decides whether a pull request is reviewed, from values alone; every no has a readable reason.
import { globPattern } from "../config/patterns.ts";
import type { RepoConfig } from "../config/repo-config.ts";
import type { ReviewJob } from "../domain/job.ts";
import { labelKey, type PullRequest } from "../domain/pull-request.ts";
import type { SkipId, SkipReason } from "../domain/skips.ts";
import { holdTag } from "../domain/title-tags.ts";

/** A person at a terminal may review any pull request: nothing is posted there. */
function isPosted({ trigger }: Pick<ReviewJob, "trigger">): boolean {
  return trigger !== "command-line";
}

/** The reason that needs no configuration, or null. */
export function closedReason(job: Pick<ReviewJob, "trigger">, pull: PullRequest): SkipReason | null {
  return pull.state === "closed" && isPosted(job) ? { id: "closed", text: "the pull request is closed" } : null;
}

/**
 * Applies people's decisions, the configuration and the title. A person's explicit request
 * overrides everything but a lock (see also authorReason).
 *
 * @param review the `review` part of the effective configuration
 * @param pausedBy who paused reviews of the pull request; null when they are not paused
 * @returns why not, or null to continue
 */
export function skipReason(
  job: Pick<ReviewJob, "trigger" | "explicit">,
  pull: PullRequest,
  review: RepoConfig["review"],
  pausedBy: string | null,
): SkipReason | null {
  const skip = (id: SkipId, text: string): SkipReason => ({ id, text });
  if (pull.locked && isPosted(job)) return skip("locked", "the conversation is locked");
  if (job.explicit) return null;
  if (pausedBy !== null) return skip("paused", `paused by @${pausedBy}`);
  if (!review.enabled) return skip("disabled", "review.enabled is false");
  if (pull.draft && !review.drafts) return skip("draft", "the pull request is a draft");
  const byAuthor = authorReason(pull.author, review);
  if (byAuthor !== null) return byAuthor;
  const branch = pull.base.ref;
  if (!admits(review.baseBranches, (glob) => isMatch(glob, branch)))
    return skip("base", `review.baseBranches leaves out the base branch ${branch}`);
  const labels = new Set(pull.labels.map(labelKey));
  if (!admits(review.labels, (pattern) => labels.has(labelKey(pattern))))
    return skip("labels", "review.labels leaves out its labels");
  const byTitle = titleReason(pull.title, review.ignoreTitleKeywords);
  return byTitle === null ? null : skip("title", byTitle);
}

/**
 * Why the pull requests of this author are not reviewed: a request counts for them only by a person
 * with write access. `review.bots` chooses among bots and `review.authors` among people; a pattern
 * with `!` leaves out either.
 */
export function authorReason(
  author: PullRequest["author"],
  { bots, authors }: Pick<RepoConfig["review"], "bots" | "authors">,
): SkipReason | null {
  const { login, type } = author;
  const isBot = type === "Bot";
  if (isBot && !isWantedBot(author, bots))
    return { id: "bot", text: `opened by a bot, ${login}, that review.bots leaves out` };
  const patterns = isBot ? authors.filter((pattern) => pattern.startsWith("!")) : authors;
  const isNamed = (pattern: string) => namesLogin(pattern, author);
  return admits(patterns, isNamed) ? null : { id: "author", text: `review.authors leaves out its author ${login}` };
}

/** A list of `!` patterns alone is read as `agents` without those. */
function isWantedBot(author: PullRequest["author"], bots: RepoConfig["review"]["bots"]): boolean {
  if (bots === "none" || bots === "all") return bots === "all";
  const named =
    bots === "agents" ? [bots] : bots.map((bot) => (/^!?(?:agents|all|none)$/i.test(bot) ? bot.toLowerCase() : bot));
  if (named.includes("none")) return false;
  const list = named.length > 0 && named.every((one) => one.startsWith("!")) ? ["agents", ...named] : named;
  const isNamed = (one: string) =>
    one === "all" || (one === "agents" ? REVIEWED.has(slugOf(author.login)) : namesLogin(one, author));
  return list.length > 0 && admits(list, isNamed);
}

/**
 * Matches a login in any case, with or without `@`; a glob that ends with `[bot]` is of bots only.
 */
function namesLogin(pattern: string, { login, type }: PullRequest["author"]): boolean {
  const isOfBots = /\[bot\]$/i.test(pattern);
  return (type === "Bot" || !isOfBots) && isMatch(slugOf(pattern.replace(/^@/, "")), slugOf(login));
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

/** Matches a whole name; an invalid glob, which the configuration has reported, matches none. */
function isMatch(glob: string, name: string): boolean {
  const read = globPattern(glob);
  return "matches" in read && read.matches(name);
}

/**
 * Agents that write code on request, by the slug of their App. People cannot have `[bot]` logins.
 */
const CODING_AGENTS = [
  "amazon-q-developer",
  "chatgpt-codex-connector",
  "claude",
  "codegen-sh",
  "copilot",
  "copilot-swe-agent",
  "cursor",
  "devin-ai-integration",
  "factory-droid",
  "google-labs-jules",
  "openhands-agent",
  "sweep-ai",
];

/** Their changes are ordinary ones: versions and lock files, and sometimes code. */
const DEPENDENCY_BOTS = ["dependabot", "dependabot-preview", "renovate", "renovate-bot", "mend-for-github-com"];

const REVIEWED: ReadonlySet<string> = new Set([...CODING_AGENTS, ...DEPENDENCY_BOTS]);

/** The slug of a bot's App, in lower case; of a person the login. */
function slugOf(login: string): string {
  return login.toLowerCase().replace(/\[bot\]$/, "");
}
