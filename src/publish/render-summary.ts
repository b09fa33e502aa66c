// The sticky summary: verdict, what the pull request does, findings without a comment of their own, what was not done.
import { SUMMARY_MARKER } from "../domain/review/marker.ts";
import type { PlacedFinding, Review } from "../domain/review.ts";
import { below } from "./below.ts";
import { dependencyUpdateLines } from "./dependency-update.ts";
import { addressedLines, scopeLine } from "./earlier-pushes.ts";
import { counted, fitList } from "./fit-list.ts";
import { memoryHeld } from "./memory-held.ts";
import { configLines, degradedLines, heldBackLines, leftOutLines } from "./not-said.ts";
import { overview } from "./overview.ts";
import { commitLink, linkedCode } from "./permalink.ts";
import { codeSpan, sanitizeInline } from "./sanitize.ts";
import { seenBeforeLines } from "./seen-before.ts";
import { unreadLines } from "./unread.ts";
import { verdict } from "./verdict.ts";
import { walkthroughLines } from "./walkthrough.ts";

/** UTF-16 units of the body. GitHub refuses more than 65,536 characters; the rest is slack for what redaction adds. */
export const BODY_LIMIT = 60_000;

/** The footer tells what the month has cost from this share of its budget on. */
const MONTH_SHARE = 0.8;

/** How BODY_LIMIT is shared out; verdict, headings and footer are bounded by themselves to the remaining 4,000. */
const ROOM = {
  overview: 7_000,
  seenBefore: 2_000,
  findings: 20_000,
  addressed: 2_000,
  degraded: 5_000,
  unread: 4_000,
  config: 6_000,
  heldBack: 4_000,
  leftOut: 6_000,
} as const;

/**
 * The summary's body.
 *
 * @param findings where each finding stands: as planned (`review.findings`), or as GitHub had it
 * @returns Markdown of at most BODY_LIMIT UTF-16 units whose last line is the hidden marker of the summary
 */
export function renderSummary(review: Review, findings: readonly PlacedFinding[]): string {
  // Few of these changes have many findings: what their section needs is taken from there.
  const update = dependencyUpdateLines(review, ROOM.findings * 0.4);
  const taken = update.reduce((sum, line) => sum + line.length + 1, 0);
  const sections = [
    [verdict(review, findings)],
    scopeLine(review),
    walkthroughLines(review),
    fitList(overview(review), (line) => line, ROOM.overview, 30),
    update,
    below(review, findings, ROOM.findings - taken),
    addressedLines(review, ROOM.addressed),
    seenBeforeLines(review, ROOM.seenBefore),
    degradedLines(review, ROOM.degraded),
    unreadLines(review, ROOM.unread),
    configLines(review, ROOM.config),
    heldBackLines(review, ROOM.heldBack),
    leftOutLines(review, ROOM.leftOut),
    [footer(review)],
    [SUMMARY_MARKER],
  ];
  return sections
    .map((lines) => lines.join("\n").trim())
    .filter((section) => section !== "")
    .join("\n\n");
}

/** The one line of the review itself; the summary says the rest. */
export function renderReviewBody(headSha: string, repo: Review["repo"], summaryUrl: string | null): string {
  const head = linkedCode(headSha.slice(0, 7), commitLink(repo, headSha));
  return summaryUrl === null ? `Reviewed ${head}.` : `Reviewed ${head}: see the [summary](${summaryUrl}).`;
}

function footer(review: Review): string {
  return `<sub>${cost(review)}${month(review)} ${memory(review)}${memoryHeld(review.memory)} Reviewed ${ends(review)}.</sub>`;
}

/** What is staged, or stands in a diff, has no commit of its own; a diff whose clone is not here has no base either. */
function ends({ repo, headSha, baseSha }: Review): string {
  const named = (sha: string) => (/^(?:0+|f+)$/.test(sha) ? null : linkedCode(sha.slice(0, 7), commitLink(repo, sha)));
  const [head, base] = [named(headSha), named(baseSha)];
  return `${head ?? "a change that is not committed"}${base === null ? "" : ` against ${base}`}`;
}

/** What memory had to say, also when it was nothing; what failed stands among what is incomplete. */
function memory({ memory: { gate, precedents } }: Review): string {
  if (!gate.retrieve) return `Memory: not searched, ${sanitizeInline(gate.reason, 150)}.`;
  if (precedents.length > 0) return `Memory: ${counted(precedents.length, "precedent")}.`;
  return "Memory: nothing relevant remembered.";
}

/** Said early enough that somebody can still decide about it. */
function month({ month: spent }: Review): string {
  if (spent === undefined || spent === null || spent.usd < spent.of * MONTH_SHARE) return "";
  const whose = spent.whose === "operator" ? ", of all repositories" : "";
  return ` USD ${dollars(spent.usd)} of ${dollars(spent.of)} this month${whose}.`;
}

function dollars(usd: number): string {
  return Number.isInteger(usd) ? String(usd) : usd.toFixed(2);
}

function cost({ cost: { inputTokens, outputTokens, usd, ms }, coverage }: Review): string {
  const time = ms === 0 ? "" : `, ${(ms / 1000).toFixed(1)} s`;
  if (inputTokens === 0 && outputTokens === 0) return `Cost: no model was asked${time}.`;
  const model = coverage === null ? "" : ` (${codeSpan(coverage.model, 60)})`;
  const price = usd === null ? "no price known" : `USD ${usd.toFixed(4)}`;
  return `Cost: ${inputTokens} tokens in, ${outputTokens} out${model}, ${price}${time}.`;
}
