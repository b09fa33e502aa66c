// The first sentence of the summary: how many, how severe, where. Its counts add up to the findings that are said.
import { SEVERITIES } from "../domain/finding.ts";
import type { FileCoverage, PlacedFinding, Review } from "../domain/review.ts";
import { counted } from "./fit-list.ts";

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
  const changed = review.reviewed.length + review.leftOut.length;
  if (findings.length === 0 && review.reviewed.length === 0) {
    return changed === 0
      ? "**Nothing to review**: no file was changed"
      : `**Nothing to review**: ${counted(changed, "changed file")}, all left out`;
  }
  if (findings.length === 0)
    return `**No findings**${byWhom(review)} in ${counted(review.reviewed.length, "file")}${heldBack(review)}`;
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
  return `**${counted(findings.length, "finding")}**: ${severities} — ${places}${heldBack(review)}`;
}

/** Silence about what nobody read is no praise. */
function byWhom({ coverage }: Review): string {
  if (coverage === null || coverage.files.every(isRead)) return "";
  return coverage.files.every(({ state }) => state === "not-read") ? " by rules" : " in what was read and by rules";
}

function isRead({ state }: FileCoverage): boolean {
  return state === "full" || state === "earlier";
}

function heldBack({ heldBack: held, addressed }: Review): string {
  const maybe = addressed.length === 0 ? "" : `; ${addressed.length} of earlier pushes may be addressed`;
  return `${held.length === 0 ? "" : `; ${held.length} held back`}${maybe}`;
}

function incomplete(review: Review): string {
  return review.degraded.length === 0 ? "" : " This review is **incomplete**, see below.";
}
