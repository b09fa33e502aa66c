// Readings of one change name the same defects in other words and on other lines. Merged, each
// claim is there once: with its best text, all of its places, and how many readings named it. The
// order of the readings changes nothing.
import { CATEGORIES, type Finding, findingId } from "../../domain/finding.ts";
import { compareTexts } from "../../domain/text/compare-texts.ts";
import { compareFindings } from "../placing/place.ts";
import { gapOf, wordsInCommon } from "./same-claim.ts";

/**
 * Shares of common words for one claim, on lines that meet and elsewhere. Of 271 findings of two
 * readings of 20 pull requests, pairs below were nearly always two claims, pairs above one.
 */
const WORDS_HERE = 0.4;
const WORDS_ELSEWHERE = 0.6;
const MOST_PLACES = 10;

/**
 * Merges the findings of independent readings. What one reading says apart stays apart.
 *
 * @param readings one list a reading
 * @param timesRead how many readings a path had
 * @returns of one reading its own list; of several the gravest and surest claims first
 */
export function mergeReadings(
  readings: readonly (readonly Finding[])[],
  timesRead: (path: string) => number,
): readonly Finding[] {
  const [only = [], ...others] = readings;
  const claims = others.length === 0 ? only : merged(readings, timesRead);
  const distinct = distinctIds();
  return claims.map(distinct);
}

interface Named {
  readonly finding: Finding;
  readonly reading: number;
}

function merged(readings: readonly (readonly Finding[])[], timesRead: (path: string) => number): readonly Finding[] {
  const all = readings
    .flatMap((list, reading) => list.map((finding): Named => ({ finding, reading })))
    .sort((a, b) => compareClaims(a.finding, b.finding));
  const claims = new Map(all.map((named) => [named, [named]]));
  for (const { one, other } of likePairs(all)) {
    const [ours, theirs] = [claims.get(one) ?? [], claims.get(other) ?? []];
    const heard = new Set(ours.map(({ reading }) => reading));
    if (theirs.some(({ reading }) => heard.has(reading))) continue;
    const both = [...ours, ...theirs];
    for (const each of both) claims.set(each, both);
  }
  return [...new Set(claims.values())]
    .map((claim) => asOne(claim.map(({ finding }) => finding).sort(compareClaims), timesRead))
    .sort(compareClaims);
}

/** Pairs of one claim from different readings, the most certain first; `all` by compareClaims. */
function likePairs(all: readonly Named[]) {
  return all
    .flatMap((named, at) => all.slice(at + 1).map((other) => ({ one: named, other, likeness: likeness(named, other) })))
    .filter((pair) => pair.likeness > 0)
    .sort((a, b) => b.likeness - a.likeness);
}

function likeness(a: Named, b: Named): number {
  const [one, other] = [a.finding, b.finding];
  if (a.reading === b.reading) return 0;
  const words = one.title === other.title ? 1 : wordsInCommon(one, other);
  const hasLines = one.locMethod !== "none" && other.locMethod !== "none";
  if (hasLines && one.path === other.path && one.side === other.side && gapOf(one, other) === 0)
    return words >= WORDS_HERE ? 1 + words : 0;
  return one.category === other.category && words >= WORDS_ELSEWHERE ? words : 0;
}

/** By weight and place, then by text, so that equal ones alone are in no order. */
function compareClaims(a: Finding, b: Finding): number {
  return (
    compareFindings(a, b) ||
    CATEGORIES.indexOf(a.category) - CATEGORIES.indexOf(b.category) ||
    compareTexts(JSON.stringify([a.title, a.body, a]), JSON.stringify([b.title, b.body, b]))
  );
}

/** @param claim the same one, best first */
function asOne(claim: readonly Finding[], timesRead: (path: string) => number): Finding {
  const [best, ...others] = claim as readonly [Finding, ...Finding[]];
  const of = Math.max(claim.length, timesRead(best.path));
  const elsewhere = others.filter((other) => !isCovered(other, best)).map(placeText);
  const places = [...new Set(elsewhere)].slice(0, MOST_PLACES).map((place) => `\`${place}\``);
  const body = places.length === 0 ? best.body : `${best.body}\n\nAlso at ${places.join(", ")}.`;
  const precedents = new Map(
    claim.flatMap((finding) => finding.precedents.map((precedent) => [precedent.id, precedent])),
  );
  const all = { ...best, body, precedents: [...precedents.values()] };
  return of < 2 ? all : { ...all, agreement: { named: claim.length, of } };
}

function isCovered(place: Finding, by: Finding): boolean {
  if (place.path !== by.path) return false;
  return place.locMethod === "none" || (place.side === by.side && by.locMethod !== "none" && gapOf(place, by) === 0);
}

function placeText({ path, startLine, line, locMethod }: Finding): string {
  if (locMethod === "none") return path;
  return `${path}:${startLine}${line === startLine ? "" : `-${line}`}`;
}

/**
 * Gives further defects of one kind on one line ids of their own, in the given order: later reviews
 * recognise each by place and words. A repeated defect keeps one id.
 */
function distinctIds(): (finding: Finding) => Finding {
  const seen = new Map<string, Finding[]>();
  return (finding) => {
    const earlier = seen.get(finding.id) ?? [];
    const same = earlier.find((one) => wordsInCommon(one, finding) >= WORDS_HERE);
    if (same !== undefined) return { ...finding, id: same.id };
    const id = earlier.length === 0 ? finding.id : findingId(finding.id, finding.path, [], earlier.length);
    const own = { ...finding, id };
    seen.set(finding.id, [...earlier, own]);
    return own;
  };
}
