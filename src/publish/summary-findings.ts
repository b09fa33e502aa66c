// The findings in the summary: a table of all of them, and in full those without a comment on their
// lines. Each `maxLength` is in UTF-16 units.

import { SEVERITIES, sharedComment } from "../domain/finding.ts";
import type { PlacedFinding, Review } from "../domain/review.ts";
import { counted } from "../domain/text/counted.ts";
import { paragraphs } from "../domain/text/paragraphs.ts";
import { fitList, fitting, folded } from "./fit-list.ts";
import { linkTo, placeOf } from "./permalink.ts";
import { findingTitle, origin, otherPlaces, severityMark, titleText } from "./render-comment.ts";
import { sanitizeBlock, sanitizeInline } from "./sanitize.ts";

/** Code points of a body, small because many findings share the summary. */
const BODY_SHOWN = 1000;
/** Places shown in one row; findings of one rule share a row. */
const PLACES_SHOWN = 4;

/** Worst first; within a severity in the given order. */
export function worstFirst(findings: readonly PlacedFinding[]): readonly PlacedFinding[] {
  return findings.toSorted((a, b) => SEVERITIES.indexOf(a.finding.severity) - SEVERITIES.indexOf(b.finding.severity));
}

/** One row for each title and severity with its places, worst first. */
export function findingsTable(
  review: Review,
  findings: readonly PlacedFinding[],
  maxLength: number,
): readonly string[] {
  if (findings.length === 0) return [];
  const rows = Map.groupBy(worstFirst(findings), ({ finding: { severity, rule, title } }) =>
    JSON.stringify([severity, rule, title]),
  );
  const groups = [...rows.values()];
  const shown = fitting(groups, (group) => row(review, group), maxLength, 2);
  const rest = groups.slice(shown.length).reduce((sum, { length }) => sum + length, 0);
  const more = `And ${counted(rest, "more finding")} that did not fit here; \`kodiai review\` lists all of them.`;
  return ["| | Finding | Where |", "|-|-|-|", ...shown, ...(rest === 0 ? [] : ["", more])];
}

function row(review: Review, group: readonly PlacedFinding[]): string {
  const [first] = group as readonly [PlacedFinding, ...PlacedFinding[]];
  const places = group
    .slice(0, PLACES_SHOWN)
    .map((placed) => `${placeOf(review, placed.finding)}${comment(review, placed)}`);
  const rest = group.length - places.length;
  const where = `${places.join("<br>")}${rest > 0 ? `<br>and ${rest} more` : ""}`;
  // A bar ends a cell, even in code; the broken bar looks similar.
  const cells = [severityMark(first.finding.severity), titleText(first.finding), where];
  return `| ${cells.map((cell) => cell.replaceAll("|", "¦")).join(" | ")} |`;
}

/**
 * The findings without a comment on their lines, folded: in full if only the summary has them, else
 * in one line with the reason.
 */
export function unplacedFindings(
  review: Review,
  findings: readonly PlacedFinding[],
  maxLength: number,
): readonly string[] {
  const elsewhere = worstFirst(findings.filter(({ place }) => place !== "inline"));
  const short = elsewhere.filter(({ place }) => place !== "summary");
  const full = Map.groupBy(
    elsewhere.filter(({ place }) => place === "summary"),
    ({ finding }) => sharedComment(finding) ?? finding.id,
  );
  const groups = [...full.values()];
  const shown = fitting(groups, (group) => inFull(review, group), maxLength * 0.7, 2);
  const lines = [...groups.slice(shown.length).flat(), ...short];
  const more = (count: number) => `- and ${count} more that did not fit here; \`kodiai review\` lists all of them`;
  return folded("Findings without a comment on the lines", [
    ...shown.flatMap((text) => [text, ""]),
    ...fitList(lines, (placed) => `- ${inOneLine(review, placed)}`, maxLength * 0.25, 200, more),
  ]);
}

/** Findings with the same text are shown once, with all their places. */
function inFull(review: Review, [first, ...others]: readonly PlacedFinding[]): string {
  if (first === undefined) return "";
  const { finding } = first;
  const also = otherPlaces(
    review,
    others.map((other) => other.finding),
  );
  return paragraphs(inOneLine(review, first), sanitizeBlock(finding.body, BODY_SHOWN), also, origin(review, finding));
}

function inOneLine(review: Review, placed: PlacedFinding): string {
  const reason = placed.reason === null ? "" : ` — ${sanitizeInline(placed.reason, 200)}`;
  return `${findingTitle(placed.finding)} ${placeOf(review, placed.finding)}${comment(review, placed)}${reason}`;
}

/** A link to the comment of an earlier push, if its address is known. */
function comment({ repo, said }: Review, { finding, place }: PlacedFinding): string {
  if (place !== "already-posted") return "";
  const link = linkTo(repo, "comment", said.find((one) => one.finding.id === finding.id)?.url ?? null);
  return link === null ? "" : ` (${link})`;
}
