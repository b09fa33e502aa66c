// The sticky summary: verdict, what the pull request does, findings without a comment of their own, what was not done.
import { SEVERITIES } from "../domain/finding.ts";
import type { BudgetName } from "../domain/omissions.ts";
import type { SeenBefore } from "../domain/retrieval.ts";
import { SUMMARY_MARKER } from "../domain/review/marker.ts";
import { quietVerdict } from "../domain/review/quiet-verdict.ts";
import type { Addressed, PlacedFinding, Review, ReviewMemory } from "../domain/review.ts";
import { below, placeOf } from "./below.ts";
import { dependencyUpdateLines } from "./dependency-update.ts";
import { counted, fitList } from "./fit-list.ts";
import { configLines, degradedLines, heldBackLines, leftOutLines } from "./not-said.ts";
import { overview } from "./overview.ts";
import { commitLink, linkedCode, safeUrl } from "./permalink.ts";
import { findingTitle } from "./render-comment.ts";
import { codeSpan, sanitizeBlock, sanitizeInline } from "./sanitize.ts";
import { unreadLines } from "./unread.ts";

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
  return ` USD ${dollars(spent.usd)} of ${dollars(spent.of)} this month${WHOSE[spent.whose]}.`;
}

const WHOSE = {
  repository: "",
  outsiders: ", of people without write access",
  operator: ", of all repositories",
  share: ", the share of this repository",
} as const satisfies Record<BudgetName, string>;

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

// What the change does, in the model's words.

/** Code points: one to three sentences were asked for. */
const WALKTHROUGH_LIMIT = 800;

/** Nothing without a model. */
function walkthroughLines({ walkthrough }: Review): readonly string[] {
  return walkthrough === null ? [] : [sanitizeBlock(walkthrough, WALKTHROUGH_LIMIT)];
}

// What the summary says about earlier pushes: how much was read this time, and which earlier findings may be addressed.

/** One line; nothing for a first review. */
function scopeLine({ scope, repo }: Review): readonly string[] {
  if (scope.kind === "full") {
    return scope.reason === null ? [] : [`Everything was read again: ${sanitizeInline(scope.reason, 200)}.`];
  }
  const since = linkedCode(scope.since.slice(0, 7), commitLink(repo, scope.since));
  return [`Changes since ${since} were read; the rest was read at earlier pushes.`];
}

/** Earlier findings that were not found again in code that changed. Their conversations stay open: a person decides. */
function addressedLines(review: Review, room: number): readonly string[] {
  const { addressed } = review;
  if (addressed.length === 0) return [];
  const write = (one: Addressed) => `- ${place(review, one)} — ${sanitizeInline(one.reason, 120)}`;
  const shown = fitList(addressed, write, room, 50, (count) => `- and ${counted(count, "more finding")}`);
  return ["**May be addressed:**", "", ...shown];
}

/** Its line is of an earlier head, so the link goes to the comment and not to the code. */
function place(review: Review, { finding, url }: Addressed): string {
  const address = url === null ? null : safeUrl(review.repo, url);
  const title = findingTitle(finding);
  return address === null ? `${title} ${placeOf(review, { finding })}` : `${title} [comment](${address})`;
}

/** What memory there is, as a sentence for a repository's first reviews: "Remembered so far: 214 TypeScript, 0 Go." Else "". */
function memoryHeld({ held }: ReviewMemory): string {
  if (held === undefined || held === null) return "";
  const counts = held.languages.map(({ language, count }) => `${count} ${sanitizeInline(language, 40)}`);
  const so = counts.length === 0 ? "nothing yet" : counts.join(", ");
  return ` Remembered so far: ${so}${held.isImporting ? "; past reviews are still being imported" : ""}.`;
}

// Changed code that is much like code somebody spoke about: told with its link and outcome, never as an accusation.

/** One line a precedent; nothing when there is none. `room` in UTF-16 units. */
function seenBeforeLines({ memory, repo }: Review, room: number): readonly string[] {
  return memory.seenBefore.length === 0
    ? []
    : ["**Seen before here:**", "", ...fitList(memory.seenBefore, (seen) => line(seen, repo), room, 5)];
}

function line({ path, url, outcome, decided, date, similarity }: SeenBefore, repo: Review["repo"]): string {
  const link = url === null ? null : safeUrl(repo, url);
  const when = date === "" ? "" : ` on ${sanitizeInline(date, 10)}`;
  const what =
    outcome === "unknown" || outcome === "posted" ? "was commented on" : `was commented on (${how(outcome, decided)})`;
  const where = link === null ? what : `[${what}](${link})`;
  // What is not linked is shown: where it was said is half of what it says.
  const elsewhere = link === null && url !== null && url !== "" ? ` at ${codeSpan(url, 120)}` : "";
  return `- ${codeSpan(path, 120)}: code like this ${where}${elsewhere}${when}, ${Math.round(similarity * 100)} % alike`;
}

/** What became of it, with the reason where one was given. */
function how(outcome: SeenBefore["outcome"], decided: string | undefined): string {
  return decided === undefined ? outcome : sanitizeInline(`${outcome} ${decided}`, 240);
}

// The first sentence of the summary: how many, how severe, where. Its counts add up to the findings that are said.

const PLACES: readonly { readonly place: PlacedFinding["place"]; readonly word: string }[] = [
  { place: "inline", word: "inline" },
  { place: "file", word: "on whole files" },
  { place: "summary", word: "below" },
  { place: "already-posted", word: "posted earlier" },
];

/**
 * `**3 findings**: 1 critical, 2 medium — 2 inline, 1 below`.
 *
 * @param findings as they were placed; every one is counted once by severity and once by place
 */
export function verdict(review: Review, findings: readonly PlacedFinding[]): string {
  return `${found(review, findings)}.${incomplete(review)}`;
}

function found(review: Review, findings: readonly PlacedFinding[]): string {
  if (findings.length === 0) {
    const { head, rest } = quietVerdict(review);
    return `**${head}**${rest}${addressed(review)}`;
  }
  const bySeverity = SEVERITIES.map((severity) => ({
    severity,
    count: findings.filter(({ finding }) => finding.severity === severity).length,
  })).filter(({ count }) => count > 0);
  const byPlace = PLACES.map(({ place, word }) => ({
    word,
    count: findings.filter((placed) => placed.place === place).length,
  })).filter(({ count }) => count > 0);
  const severities = bySeverity.map(({ severity, count }) => `${count} ${severity}`).join(", ");
  const places = byPlace.map(({ word, count }) => `${count} ${word}`).join(", ");
  return `**${counted(findings.length, "finding")}**: ${severities} — ${places}${heldBack(review)}${addressed(review)}`;
}

function heldBack({ heldBack: held }: Review): string {
  return held.length === 0 ? "" : `; ${held.length} held back`;
}

function addressed({ addressed: maybe, reviewed }: Review): string {
  return maybe.length === 0 || reviewed.length === 0 ? "" : `; ${maybe.length} of earlier pushes may be addressed`;
}

function incomplete(review: Review): string {
  return review.degraded.length === 0 ? "" : " This review is **incomplete**, see below.";
}
