// A finding as a comment: what, why, how to fix it, earlier comments, how to decline it.

import { rulePage } from "../config/rule-page.ts";
import type { CommandJob } from "../domain/command.ts";
import type { Answer } from "../domain/conversation.ts";
import type { Finding, Precedent, Quote, Severity } from "../domain/finding.ts";
import type { Repo } from "../domain/job.ts";
import type { SeenBefore } from "../domain/retrieval.ts";
import { answerMarker, findingMarker } from "../domain/review/marker.ts";
import type { Review } from "../domain/review.ts";
import { listed } from "../domain/text/counted.ts";
import { paragraphs } from "../domain/text/paragraphs.ts";
import { publicErrorText } from "../domain/text/public-error-text.ts";
import { ofTool } from "../domain/tool-result.ts";
import { agentPrompt } from "./agent-prompt.ts";
import { linkedCode, linkTo, placeOf } from "./permalink.ts";
import { codeSpan, quietCode, sanitizeBlock, sanitizeInline, visible, writeFence } from "./sanitize.ts";

/** Maximum code points of a title and UTF-16 units of a suggestion in a comment. */
const TITLE_LIMIT = 200;
const SUGGESTION_LIMIT = 8000;
const QUOTES = 3;
/** UTF-16 units of the task for a coding agent in a comment. */
const PROMPT_LIMIT = 4_000;
/** Further places that a comment names; the marker has the ids of all of them. */
const OTHER_PLACES = 20;

/**
 * @param finding the one whose lines the comment is on
 * @param place `inline` offers a committable suggestion; a comment on a file has no lines to
 *   replace
 * @param others findings that report the same elsewhere, and have no comment of their own
 * @returns Markdown of at most 60,000 UTF-16 units; its last line, hidden, has the ids of all
 *   findings
 */
export function renderComment(
  review: Pick<Review, "repo" | "headSha" | "reviewed" | "agentPrompt" | "isByOutsider" | "answersCommands">,
  finding: Finding,
  place: "inline" | "file",
  others: readonly Finding[] = [],
): string {
  const { repo } = review;
  const where = place === "file" && finding.locMethod !== "none" ? `About ${lines(finding)} of this file.` : "";
  const quotes = finding.precedents.slice(0, QUOTES).map((precedent) => `Said before: ${quoteLine(repo, precedent)}`);
  return paragraphs(
    withPullLinks(repo, findingTitle(finding), finding.precedents),
    withPullLinks(repo, sanitizeBlock(finding.body), finding.precedents),
    where,
    place === "inline" ? renderSuggestion(finding) : "",
    otherPlaces(review, others),
    quotes.join("\n"),
    agentPrompt(review, [finding, ...others], "Fix with an agent", PROMPT_LIMIT).join("\n"),
    origin(review, finding),
    findingMarker([finding, ...others].map(({ id }) => id)),
  );
}

const MARKS: Readonly<Record<Severity, string>> = { critical: "🔴", major: "🟠", medium: "🟡", minor: "🔵" };

/** `🔴 critical`. */
export function severityMark(severity: Severity): string {
  return `${MARKS[severity]} ${severity}`;
}

/** The finding in one line: its severity, then what is wrong. */
export function findingTitle(finding: Finding): string {
  return `${severityMark(finding.severity)}: **${titleText(finding)}**`;
}

/** Inert Markdown of one line. */
export function titleText({ title }: Pick<Finding, "title">): string {
  return sanitizeInline(title, TITLE_LIMIT) || "(no title)";
}

/** `line 12`, `lines 12–14`, `removed line 3`. */
function lines(finding: Finding): string {
  const removed = finding.side === "LEFT" ? "removed " : "";
  return finding.startLine === finding.line
    ? `${removed}line ${finding.line}`
    : `${removed}lines ${finding.startLine}–${finding.line}`;
}

/** Where else the same was found; "" if nowhere. */
export function otherPlaces(review: Pick<Review, "repo" | "headSha" | "reviewed">, others: readonly Finding[]): string {
  if (others.length === 0) return "";
  return `Also at ${listed(others, OTHER_PLACES, (finding) => placeOf(review, finding))}.`;
}

/**
 * One small line: who found it, and how to decline it where somebody answers, else how to hide it.
 */
export function origin({ answersCommands }: Pick<Review, "answersCommands">, { rule, source }: Finding): string {
  const by = source === "memory" ? "Known from memory" : "Found by a model";
  const of = ofTool(rule);
  const byRule =
    of === null
      ? `Rule ${linkedCode(rule ?? "", rulePage(rule ?? ""))}`
      : `Found by ${codeSpan(of.tool)}, rule ${codeSpan(of.rule)}`;
  const found = rule === null ? by : byRule;
  const inCode =
    rule === null ? "" : ` · to hide it, write ${codeSpan(`kodiai-ignore ${rule} REASON`)} in a comment above`;
  const how = answersCommands ? " · to decline it, reply `/kodiai ignore` with a reason" : inCode;
  return `<sub>${found}${how}</sub>`;
}

/**
 * The committable block, or plain code if GitHub would commit something else than was meant: hidden
 * characters, and lines that another bot obeys, are changed before they are posted.
 */
function renderSuggestion(finding: Finding): string {
  if (finding.suggestion === null) return "";
  const meant = finding.suggestion.text;
  const shown = visible(meant).split("\n").map(quietCode);
  const text = shown.join("\n");
  if (text.length > SUGGESTION_LIMIT) return "";
  if (text !== meant) return `Put this in place of ${lines(finding)}:\n\n${writeFence("", shown)}`;
  // No line at all deletes the lines; one empty line would leave an empty line behind.
  if (meant === "") return writeFence("suggestion", []);
  // A browser posts CR LF everywhere: GitHub knows both, and documents not which one it writes.
  return writeFence("suggestion", finding.suggestion.crlf ? shown.map((line) => `${line}\r`) : shown);
}

// A quote of an earlier comment: who, a link to where, when, the outcome, and the sentence.

/** Visible code points of a quote. */
const QUOTED = 200;

type Quoted = Quote & (Pick<Precedent, "url" | "outcome" | "decided" | "date" | "reason"> | Omit<SeenBefore, "path">);

/** One line of inert Markdown: `ines on [#1](…) (2026-03-02, fixed): *Give run a list.*` */
export function quoteLine(repo: Pick<Repo, "host">, quoted: Quoted): string {
  const { author, pull, quote, date, outcome, decided } = quoted;
  const reason = "reason" in quoted ? quoted.reason : undefined;
  const who = author === undefined ? "Kodiai" : sanitizeInline(author, 60);
  const known = outcome === "unknown" || outcome === "posted" ? "" : outcome;
  const became = [known, decided ?? ""].filter((part) => part !== "").join(" ");
  const when = [sanitizeInline(date, 10), sanitizeInline(became, 240)].filter((part) => part !== "").join(", ");
  const words = sanitizeInline(quote ?? reason ?? "", QUOTED);
  const where = `${who} ${placeOfQuote(repo, quoted.url, pull)}`.trim();
  return `${where}${when === "" ? "" : ` (${when})`}${words === "" ? "" : `: *${words}*`}`;
}

function placeOfQuote(repo: Pick<Repo, "host">, url: string | null, pull: number | undefined): string {
  const name = pull === undefined ? "earlier" : `#${pull}`;
  const link = linkTo(repo, name, url);
  if (link !== null) return pull === undefined ? link : `on ${link}`;
  // A place that is not linked is shown as text: where it was said is half of what the quote says.
  if (url !== null && url !== "") return `at ${codeSpan(url, 120)}`;
  return pull === undefined ? name : `on ${codeSpan(name)}`;
}

/** Links references to these memories' pull requests, which the sanitizer has made code. */
function withPullLinks(repo: Pick<Repo, "host">, markdown: string, precedents: readonly Precedent[]): string {
  return precedents.reduce((text, { pull, url }) => {
    const link = linkTo(repo, `#${pull}`, url);
    return link === null || pull === undefined ? text : text.replace(`what \`#${pull}\` fixed`, `what ${link} fixed`);
  }, markdown);
}

// An answer as a comment: addressed to the one who asked, as inert text, with its sources.

/** Visible code points of an answer. */
const TEXT_LIMIT = 6_000;
const SOURCES = 5;

/**
 * @returns Markdown of at most 60,000 UTF-16 units whose only mention is the one who asked, and
 *   whose last line is the answer's hidden marker; null when there is nothing to say
 */
export function renderAnswer(answer: Answer, { comment, repo }: Pick<CommandJob, "comment" | "repo">): string | null {
  const { place, id, author } = comment;
  const text = sanitizeBlock(answer.text ?? "", TEXT_LIMIT);
  if (text === "") return null;
  const to = /^[a-z\d](?:[a-z\d-]{0,38})$/i.test(author.login) ? `@${author.login}` : "";
  const isProse = !/^(?:[-*+>#|]|`{3}|~{3}|\d+[.)])/.test(text);
  return [
    isProse && to !== "" ? `${to} ${text}` : paragraphs(to, text),
    ...small(answer, repo),
    answerMarker(place, id),
  ].join("\n\n");
}

function small({ sources, degraded, footer }: Answer, repo: CommandJob["repo"]): readonly string[] {
  const links = sources.slice(0, SOURCES).map(({ label, url }) => {
    const text = sanitizeInline(label, 80) || "earlier";
    return linkTo(repo, text, url) ?? text;
  });
  const gaps = degraded.map(({ part, reason }) => sanitizeInline(`${part}: ${publicErrorText(reason)}`, 200));
  const lines = [
    links.length === 0 ? "" : `Said before: ${links.join("; ")}.`,
    gaps.length === 0 ? "" : `Incomplete: ${gaps.join("; ")}.`,
    footer === "" ? "" : sanitizeInline(footer, 200),
  ].filter((line) => line !== "");
  return lines.length === 0 ? [] : [`<sub>${lines.join(" ")}</sub>`];
}
