// The sticky summary: verdict, findings, what memory knows, where to look, what was left out.

import { wholePercents } from "../domain/figures/whole-percents.ts";
import { sharedComment } from "../domain/finding.ts";
import type { BudgetName } from "../domain/omissions.ts";
import { NOTHING_REMEMBERED } from "../domain/retrieval.ts";
import { SUMMARY_MARKER } from "../domain/review/marker.ts";
import {
  type Addressed,
  mergeSignal,
  type PlacedFinding,
  quietVerdict,
  type Review,
  type ReviewMemory,
} from "../domain/review.ts";
import type { Intent, Risk } from "../domain/signals.ts";
import { counted, listed } from "../domain/text/counted.ts";
import { agentPrompt } from "./agent-prompt.ts";
import { fitList, folded } from "./fit-list.ts";
import { askedLines, configLines, degradedLines, heldBackLines, leftOutLines, unreadLines } from "./not-said.ts";
import { linkedCommit, linkedLine, linkTo, placeOf } from "./permalink.ts";
import { findingTitle, quoteLine } from "./render-comment.ts";
import { codeSpan, sanitizeBlock, sanitizeInline } from "./sanitize.ts";
import { findingsTable, unplacedFindings, worstFirst } from "./summary-findings.ts";

/** UTF-16 units. GitHub takes 65,536 characters; the difference is for what redaction adds. */
export const BODY_LIMIT = 60_000;

/** Code points of the model's description: the prompt asks for one to three sentences. */
const WALKTHROUGH_LIMIT = 800;

/** The footer shows the month's cost from this share of its budget on. */
const MONTH_SHARE = 0.8;

/** Shares of BODY_LIMIT; verdict, headings and footer fit the remaining 4,500. */
const SECTION_LENGTHS = {
  table: 9_000,
  unplaced: 10_000,
  remembered: 3_000,
  addressed: 2_000,
  risks: 4_500,
  files: 3_000,
  degraded: 4_000,
  unread: 3_000,
  config: 4_500,
  heldBack: 2_500,
  asked: 1_000,
  leftOut: 2_000,
  spared: 1_000,
  prompt: 6_000,
} as const;

/**
 * @param findings where each finding is: as planned (`review.findings`), or as GitHub has it
 * @returns Markdown of at most BODY_LIMIT UTF-16 units whose last line is the summary's hidden
 *   marker
 */
export function renderSummary(review: Review, findings: readonly PlacedFinding[]): string {
  const worst = worstFirst(findings);
  const sections = [
    headline(review, findings),
    [verdict(review, findings)],
    findingsTable(review, findings, SECTION_LENGTHS.table),
    rememberedLines(review, findings, SECTION_LENGTHS.remembered),
    addressedLines(review, SECTION_LENGTHS.addressed),
    review.walkthrough === null ? [] : [sanitizeBlock(review.walkthrough, WALKTHROUGH_LIMIT)],
    announced(review),
    configLines(review, SECTION_LENGTHS.config),
    unplacedFindings(review, findings, SECTION_LENGTHS.unplaced),
    riskLines(review, SECTION_LENGTHS.risks),
    fileLines(review, SECTION_LENGTHS.files),
    degradedLines(review, SECTION_LENGTHS.degraded),
    unreadLines(review, SECTION_LENGTHS.unread),
    heldBackLines(review, SECTION_LENGTHS.heldBack),
    askedLines(review, SECTION_LENGTHS.asked),
    leftOutLines(review, false, SECTION_LENGTHS.leftOut),
    leftOutLines(review, true, SECTION_LENGTHS.spared),
    agentPrompt(
      review,
      worst.map(({ finding }) => finding),
      "Prompt for a coding agent",
      SECTION_LENGTHS.prompt,
    ),
    [review.summaryBecause === "first" ? "First review here; later ones are silent when there is nothing to say." : ""],
    [footer(review)],
    [SUMMARY_MARKER],
  ];
  return sections
    .map((lines) => lines.join("\n").trim())
    .filter((section) => section !== "")
    .join("\n\n");
}

function headline(review: Review, findings: readonly PlacedFinding[]): readonly string[] {
  const signal = mergeSignal(review, findings);
  return signal === "" ? [] : [`**${signal}**`];
}

/** The one line of the review itself, which links the summary. */
export function renderReviewBody(headSha: string, repo: Review["repo"], summaryUrl: string | null): string {
  const head = linkedCommit(repo, headSha);
  return summaryUrl === null ? `Reviewed ${head}.` : `Reviewed ${head}: see the [summary](${summaryUrl}).`;
}

/** The base's guidance, other tools, and issues; in code, so that GitHub links no issue again. */
function sources({ sources: read }: Review): string {
  const issues = read.issues.filter(({ reason }) => reason === null).map(({ name }) => name);
  const named = [
    ...(read.guidance.length === 0 ? [] : [`${listed(read.guidance, 3, codeSpan)} of the base`]),
    ...(read.tools.length === 0 ? [] : [`results of ${listed(read.tools, 10, codeSpan)}`]),
    ...(issues.length === 0 ? [] : [`issue ${listed(issues, 3, codeSpan)}`]),
  ];
  const unread = read.issues
    .filter(({ reason }) => reason !== null)
    .map(({ name, reason }) => ` Issue ${codeSpan(name)} was not read: ${sanitizeInline(reason ?? "", 100)}.`);
  return `${named.length === 0 ? "" : `Also read: ${named.join("; ")}.`}${unread.join("")}`.trim();
}

function footer(review: Review): string {
  const parts = [
    cost(review),
    month(review),
    memory(review),
    `Reviewed ${ends(review)}.`,
    sources(review),
    scope(review),
    configuration(review),
  ];
  return `<sub>${parts.filter((part) => part !== "").join(" ")}</sub>`;
}

function configuration({ configUsed }: Review): string {
  if (configUsed === "") return "";
  // As code, since the sanitizer takes a part of `.kodiai.yml@4f1c2d9` for an address.
  return `Configuration: ${sanitizeInline(configUsed.replace(/(?<!\S)\S+@[0-9a-f]{7}\b/g, "`$&`"), 400)}.`;
}

/** A change that is staged or read from a diff has no commit; a diff with no clone has no base. */
function ends({ repo, headSha, baseSha }: Review): string {
  const named = (sha: string) => (/^(?:0+|f+)$/.test(sha) ? null : linkedCommit(repo, sha));
  const [head, base] = [named(headSha), named(baseSha)];
  return `${head ?? "a change that is not committed"}${base === null ? "" : ` against ${base}`}`;
}

/** Failures are listed under incomplete; an empty memory is not worth a line. */
function memory({ memory: { gate, precedents, held } }: Review): string {
  const isEmpty = gate.reason === NOTHING_REMEMBERED;
  const found = precedents.length === 0 ? "" : `Memory: ${counted(precedents.length, "precedent")}.`;
  const searched = gate.retrieve || isEmpty ? found : `Memory: not searched, ${sanitizeInline(gate.reason, 150)}.`;
  return [searched, memoryHeld(held)].filter((part) => part !== "").join(" ");
}

/** Shown early enough that a maintainer can still act on it. */
function month({ month: spent }: Review): string {
  if (spent === undefined || spent === null || spent.usd < spent.of * MONTH_SHARE) return "";
  return `USD ${dollars(spent.usd)} of ${dollars(spent.of)} this month${WHOSE[spent.whose]}.`;
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
  if (inputTokens === 0 && outputTokens === 0) return `Cost: no model used${time}.`;
  const times = coverage?.readings?.planned ?? 1;
  const often = times === 1 ? "" : `, ${counted(times, "reading")}`;
  const model = coverage === null ? "" : ` (${codeSpan(coverage.model, 60)}${often})`;
  const price = usd === null ? "no price known" : `USD ${usd.toFixed(4)}`;
  return `Cost: ${inputTokens} tokens in, ${outputTokens} out${model}, ${price}${time}.`;
}

// Earlier pushes: how much was read this time, and which earlier findings may be addressed.

/** "" for a first review. */
function scope({ scope: read, repo }: Review): string {
  if (read.kind === "full") return read.reason === null ? "" : `Full re-review: ${sanitizeInline(read.reason, 200)}.`;
  return `Incremental review since ${linkedCommit(repo, read.since)}.`;
}

/** Not found again in code that changed. Their threads stay open: a person decides. */
function addressedLines(review: Review, maxLength: number): readonly string[] {
  const { addressed } = review;
  if (addressed.length === 0) return [];
  // Its line belongs to an earlier head, so the link goes to the comment and not to the code.
  const write = ({ finding, url, reason }: Addressed) => {
    const place = linkTo(review.repo, "comment", url) ?? placeOf(review, finding);
    return `- ${findingTitle(finding)} ${place} — ${sanitizeInline(reason, 120)}`;
  };
  const shown = fitList(addressed, write, maxLength, 50, (count) => `- and ${counted(count, "more finding")}`);
  return ["**May be addressed:**", "", ...shown];
}

/** For a repository's first reviews: "Remembered so far: 214 TypeScript."; else "". */
function memoryHeld(held: ReviewMemory["held"]): string {
  if (held === undefined || held === null) return "";
  const counts = held.languages
    .filter(({ count }) => count > 0)
    .map(({ language, count }) => `${count} ${sanitizeInline(language, 40)}`);
  const so = counts.length === 0 ? "nothing yet" : counts.join(", ");
  return `Remembered so far: ${so}${held.isImporting ? "; past reviews are still being imported" : ""}.`;
}

// Earlier comments about these findings, or about similar code: never an accusation.

const MAX_QUOTES = 8;

/** One line a memory with the places that it is about; empty without memories. */
function rememberedLines(review: Review, findings: readonly PlacedFinding[], maxLength: number): readonly string[] {
  const { repo, memory: known } = review;
  const quotes = new Map<string, { readonly quote: string; readonly places: Set<string> }>();
  const add = (id: string, quote: () => string, place: string) => {
    const one = quotes.get(id) ?? { quote: quote(), places: new Set<string>() };
    quotes.set(id, { ...one, places: one.places.add(place) });
  };
  for (const { finding } of worstFirst(findings))
    for (const precedent of finding.precedents)
      add(precedent.id, () => quoteLine(repo, precedent), placeOf(review, finding));
  for (const seen of known.seenBefore) {
    const alike = `${codeSpan(seen.path, 120)} (code ${Math.round(seen.similarity * 100)}% similar)`;
    if (!quotes.has(seen.memoryId)) add(seen.memoryId, () => quoteLine(repo, seen), alike);
  }
  if (quotes.size === 0) return [];
  const write = ({ quote, places }: { readonly quote: string; readonly places: ReadonlySet<string> }) => {
    return `- ${quote} → ${listed([...places], 3, (place) => place)}`;
  };
  const more = (count: number) => `- and ${counted(count, "more memory", "more memories")}`;
  return ["**Said here before:**", "", ...fitList([...quotes.values()], write, maxLength, MAX_QUOTES, more)];
}

// The sentence below the headline: where the findings are. The headline has counted them.

const PLACES: Readonly<Record<PlacedFinding["place"], string>> = {
  inline: "inline",
  file: "on whole files",
  summary: "below",
  "already-posted": "posted earlier",
};

/**
 * `2 inline, 1 below`.
 *
 * @param findings as they were placed; every one is counted once, unless all are at one place
 */
export function verdict(review: Review, findings: readonly PlacedFinding[]): string {
  const incomplete = review.degraded.length === 0 ? "" : " This review is **incomplete**, see below.";
  if (findings.length === 0) {
    const { head, rest } = quietVerdict(review);
    return `**${head}**${rest}.${incomplete}`;
  }
  const byPlace = Map.groupBy(findings, ({ place }) => place);
  const places = Object.entries(PLACES).flatMap(([place, word]) => {
    const count = byPlace.get(place as PlacedFinding["place"])?.length ?? 0;
    if (count === findings.length) return [count === 1 ? capitalised(word) : `All ${word}`];
    return count === 0 ? [] : [`${count} ${word}`];
  });
  return `${places.join(", ")}.${shared(byPlace.get("inline") ?? [])}${incomplete}`;
}

function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** The limit is one of comments, and findings may share a comment; "" where none do. */
function shared(inline: readonly PlacedFinding[]): string {
  const comments = new Set(inline.map(({ finding }) => sharedComment(finding) ?? finding.id)).size;
  return comments === inline.length ? "" : ` Equal findings share a comment: ${counted(comments, "inline comment")}.`;
}

// Where to look in a change: its risks in one line, its files by area. The author's access is left
// out: only the review uses it.

const PLACES_SHOWN = 3;
const FILES_SHOWN = 20;
const LANGUAGES_SHOWN = 3;
const COMMENTERS_SHOWN = 3;
const LEAST_SHARE = 0.01;

/** What the change announces beyond its kind, which the title shows: one line, or none. */
function announced({ signals }: Review): readonly string[] {
  const { breaking, reverts, bump } = signals.intent;
  const parts = [
    breaking.length === 0 ? "" : `**breaking** (${[...new Set(breaking.map(({ where }) => where))].join(", ")})`,
    reverts ? "reverts an earlier change" : "",
    bump === null ? "" : bumpWords(bump),
  ].filter((part) => part !== "");
  return parts.length === 0 ? [] : [`Announced: ${parts.join(", ")}.`];
}

function bumpWords(bump: NonNullable<Intent["bump"]>): string {
  const name = bump.packageName === null ? "several packages" : codeSpan(bump.packageName, 100);
  const from = bump.from === null ? "" : ` from ${codeSpan(bump.from, 40)}`;
  const to = bump.to === null ? "" : ` to ${codeSpan(bump.to, 40)}`;
  return `dependency ${name}${from}${to}${bump.step === "unknown" ? "" : ` (${bump.step})`}`;
}

/** The areas to look at in one line, with their places folded below. */
function riskLines(review: Review, maxLength: number): readonly string[] {
  const { risks } = review.signals;
  const areas = [...new Set(risks.map(({ id }) => id.replaceAll("-", " ")))].join(", ");
  const lines = fitList(risks, (risk) => riskLine(review, risk), maxLength, risks.length);
  return folded(`Look closer: ${areas}`, lines);
}

function riskLine(review: Review, risk: Risk): string {
  const { repo, headSha } = review;
  const where = listed(risk.evidence, PLACES_SHOWN, ({ path, line }) => linkedLine(repo, headSha, path, line));
  return `- ${sanitizeInline(risk.text, 120)}${where === "" ? "" : `: ${where}`}`;
}

/** The reviewed files by their topmost folder, folded under their kinds. */
function fileLines({ reviewed, signals, memory }: Review, maxLength: number): readonly string[] {
  const byArea = Map.groupBy(reviewed, (path) => path.slice(0, path.indexOf("/") + 1));
  const write = ([area, paths]: readonly [string, readonly string[]]) => {
    const shown = listed(paths, FILES_SHOWN, (path) => codeSpan(path.slice(area.length), 120));
    return `- ${area === "" ? "top level" : codeSpan(area, 120)} (${paths.length}): ${shown}`;
  };
  const more = (count: number) => `- and ${counted(count, "more folder")}`;
  const kinds = Object.entries(signals.metrics.filesByKind).filter(([, count]) => count > 0);
  const { added, removed } = signals.metrics;
  const percents = wholePercents(signals.languages.map(({ share }) => share));
  const languages = signals.languages
    .filter(({ share }) => share >= LEAST_SHARE)
    .slice(0, LANGUAGES_SHOWN)
    .map(({ name }, at) => `${sanitizeInline(name, 40)} ${percents[at]} %`);
  const size = [`+${added} −${removed} lines`, ...languages].join(", ");
  const title = `${counted(reviewed.length, "file")} reviewed (${kinds.map(([kind, count]) => `${count} ${kind}`).join(", ")})`;
  const known = listed(memory.commenters ?? [], COMMENTERS_SHOWN, ({ author, comments }) => {
    return `${codeSpan(author.replace("@", ""), 40)} (${counted(comments, "comment")})`;
  });
  const before = known === "" ? [] : [`Commented on these files before: ${known}.`, ""];
  return folded(title, [size, "", ...before, ...fitList([...byArea], write, maxLength - 500, 100, more)]);
}
