// The first sentence of the summary: how many, how severe, where. Its counts add up to the findings that are said.
import { SEVERITIES } from "../domain/finding.ts";
import { quietVerdict } from "../domain/review/quiet-verdict.ts";
import type { PlacedFinding, Review } from "../domain/review.ts";
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
