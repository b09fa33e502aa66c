// Matches findings with earlier ones of the pull request, so that nothing is posted twice. A match
// keeps its first identity: comment, summary and memory refer to the same thing.
import { shapeOf } from "../../domain/code/code-fingerprint.ts";
import { type RelocatedCode, relocateCode, relocateSuggestion } from "../../domain/code/relocate-code.ts";
import { type Finding, findingId } from "../../domain/finding.ts";
import type { Degraded } from "../../domain/omissions.ts";
import type { PullRequestContext } from "../../domain/pull-request.ts";
import type { EarlierFinding } from "../../domain/review/review-history.ts";
import type { Addressed, Coverage, PlacedFinding } from "../../domain/review.ts";
import { ofTool, type ToolReport } from "../../domain/tool-result.ts";
import type { CodeNow } from "../placing/code-now.ts";
import { gapOf, wordsInCommon } from "../reading/same-claim.ts";
import { claimants, isSameClaim, withClaim } from "../tools/same-matter.ts";

/** Two ranges this many lines apart may still be about the same defect, when the words match. */
const NEARLY = 3;
/** Shares of common words of title and body: on the same code, on edited code, and nearby. */
const WORDS_SAME_PLACE = 0.25;
const WORDS_EDITED = 0.35;
const WORDS_NEAR_BY = 0.45;

/**
 * Separates earlier findings from new ones.
 * On unchanged code, one of the same category (or rule) is the same in any words. On edited code,
 * in another category, or nearby, the words have to match too. One that begins on a line that did
 * not exist then is new. An equal id decides only when the place does not: the same words may occur
 * twice in a file.
 * @returns the findings, in order, under the identity that they keep, and the earlier ones of those
 *   that are not new
 */
export function matchEarlierFindings(findings: readonly Finding[], located: readonly LocatedFinding[], code: CodeNow) {
  const matches = assigned(findings, located, code);
  const spoken = new Set([...matches.values()].map(({ earlier }) => earlier.finding.id));
  const byId = new Map(located.toReversed().map((one) => [one.earlier.finding.id, one]));
  for (const finding of findings) {
    if (matches.has(finding) || spoken.has(finding.id)) continue;
    const match = byId.get(finding.id);
    if (match !== undefined) matches.set(finding, match);
  }
  const taken = new Set(byId.keys());
  const known = new Map<Finding, EarlierFinding>();
  const kept = findings.map((finding) => {
    const match = matches.get(finding);
    // A new finding never has the id of an earlier one: publish would confuse the two.
    if (match === undefined) return taken.has(finding.id) ? { ...finding, id: freeId(finding, taken) } : finding;
    const one = asReportedBefore(finding, match);
    known.set(one, match.earlier);
    return one;
  });
  return { findings: kept, known };
}

/**
 * The earlier text at the current place. On unchanged code the lines that were cited first: a model
 * cites more or fewer of them each time.
 */
function asReportedBefore(finding: Finding, { earlier, place }: LocatedFinding): Finding {
  const again = earlier.recovered ? { ...finding, id: earlier.finding.id } : earlier.finding;
  const { locMethod } = finding;
  const { startLine, line } = place?.as === "same" && place.path === finding.path ? place : finding;
  const how = locMethod === undefined ? {} : { locMethod };
  const whole = claimants(finding).length > 0 ? withClaim(again, finding) : again;
  return { ...whole, path: finding.path, side: finding.side, startLine, line, ...how, suggestion: null };
}

function freeId(finding: Finding, taken: ReadonlySet<string>): string {
  for (let count = 1; ; count++) {
    const id = findingId(finding.id, finding.path, [], count);
    if (!taken.has(id)) return id;
  }
}

/**
 * The most certain pairs first. Of two findings that match one best, the less certain takes its
 * next match; without one, it is a duplicate.
 */
function assigned(findings: readonly Finding[], located: readonly LocatedFinding[], code: CodeNow) {
  const onPath = new Map<string, { readonly one: LocatedFinding; readonly at: number }[]>();
  for (const [at, one] of located.entries())
    for (const path of new Set([one.path, one.place?.path])) {
      const known = onPath.get(path ?? "") ?? [];
      onPath.set(path ?? "", known);
      known.push({ one, at });
    }
  const pairs = findings
    .flatMap((finding) => likenesses(finding, onPath.get(finding.path) ?? [], code))
    .sort((a, b) => b.likeness - a.likeness || a.at - b.at);
  const matches = new Map<Finding, LocatedFinding>();
  const taken = new Set<LocatedFinding>();
  for (const { finding, one } of pairs) {
    if (matches.has(finding) || taken.has(one)) continue;
    matches.set(finding, one);
    taken.add(one);
  }
  for (const { finding, one } of pairs) if (!matches.has(finding)) matches.set(finding, one);
  return matches;
}

function likenesses(
  finding: Finding,
  located: readonly { readonly one: LocatedFinding; readonly at: number }[],
  code: CodeNow,
) {
  if (located.length === 0) return [];
  const stream = code.stream(finding.path, finding.side);
  const first = stream === null ? [] : shapeOf(stream, finding.startLine, finding.startLine).at;
  return located
    .map(({ one, at }) => ({ finding, one, at, likeness: likenessOf(finding, first, one) }))
    .filter(({ likeness }) => likeness > 0);
}

/** 0 for another finding; otherwise higher is more certain. */
function likenessOf(finding: Finding, first: readonly number[], { earlier, path, place }: LocatedFinding): number {
  if (finding.side !== earlier.finding.side) return 0;
  if (finding.locMethod === "none" || earlier.finding.locMethod === "none" || earlier.shape.at.length === 0) {
    return finding.path === path ? likenessOnFile(finding, earlier) : 0;
  }
  if (place === null || finding.path !== place.path) return 0;
  return isOtherRule(finding, earlier) ? 0 : likenessAt(finding, first, earlier, place);
}

function likenessAt(finding: Finding, first: readonly number[], earlier: EarlierFinding, place: CurrentPlace): number {
  const gap = gapOf(finding, place);
  // Several tools say it in words and with lines of their own.
  if (isOfTool(finding, earlier)) return gap === 0 ? 3 : 0;
  const isRule = finding.rule !== null && earlier.finding.rule !== null;
  if (gap > (isRule ? 0 : NEARLY)) return 0;
  const words = wordsInCommon(finding, earlier.finding);
  if (place.as === "alike") return gap === 0 && isSameKind(finding, earlier) && words >= WORDS_EDITED ? 1 + words : 0;
  if (!isWithin(finding, place) && !stoodThen(first, earlier)) return 0;
  if (gap > 0) return words >= WORDS_NEAR_BY ? words : 0;
  if (isSameKind(finding, earlier)) return 3 + words;
  return words >= WORDS_SAME_PLACE ? 2 + words : 0;
}

function stoodThen(line: readonly number[], { shape: { before, at, after } }: EarlierFinding): boolean {
  return ` ${[...before, ...at, ...after].join(" ")} `.includes(` ${line.join(" ")} `);
}

function likenessOnFile(finding: Finding, earlier: EarlierFinding): number {
  if (isOtherRule(finding, earlier)) return 0;
  if (finding.id === earlier.finding.id || isOfTool(finding, earlier)) return 3;
  const words = wordsInCommon(finding, earlier.finding);
  return isSameKind(finding, earlier) && words >= WORDS_EDITED ? words : 0;
}

/** Rules name what they find: two rules mean the same only where they are of several tools. */
function isOtherRule(finding: Finding, earlier: EarlierFinding): boolean {
  const { finding: before, recovered } = earlier;
  const isRule = !recovered && finding.rule !== null && before.rule !== null;
  return isRule && finding.rule !== before.rule && !isOfTool(finding, earlier);
}

/** Whether another tool said the same before, or says so now. */
function isOfTool(finding: Finding, { finding: before }: EarlierFinding): boolean {
  if (finding.rule === null || before.rule === null) return false;
  return finding.rule !== before.rule && isSameClaim(finding, before);
}

function isSameKind(finding: Finding, { finding: before, recovered }: EarlierFinding): boolean {
  return recovered || finding.category === before.category;
}

/** Not beyond the earlier lines; with one beginning at any length: models quote differently. */
function isWithin(finding: Finding, place: CurrentPlace): boolean {
  return finding.startLine === place.startLine || (finding.startLine >= place.startLine && finding.line <= place.line);
}

interface CurrentPlace extends RelocatedCode {
  readonly path: string;
}

/** An earlier finding with its current place. */
export interface LocatedFinding {
  readonly earlier: EarlierFinding;
  /** The current path of its file; null when no reviewed file is it. */
  readonly path: string | null;
  /** Null when its code was removed, or was never known. */
  readonly place: CurrentPlace | null;
  /** Where the code now matches our suggestion; null when it does not, or there was none. */
  readonly fixed: CurrentPlace | null;
}

/** Tokens that identify code in another file, with surroundings; fewer when its own was removed. */
const TELLING_ELSEWHERE = 12;
const TELLING_WHEN_GONE = 8;

/**
 * Finds earlier findings in the current code: in the file of the same name or its rename, else in
 * one that contains the exact code.
 *
 * @param renamed current path → path at the earlier review, according to the push
 */
export function locateEarlierFindings(
  earlier: readonly EarlierFinding[],
  code: CodeNow,
  renamed: ReadonlyMap<string, string>,
): readonly LocatedFinding[] {
  const pathNow = pathsNow(code, renamed);
  return earlier.map((one) => {
    const path = pathNow(one.finding.path);
    const here = path === null ? null : find(one, path, code);
    const fixed = path === null ? null : findFixed(one, path, code, here);
    if (fixed !== null) return { earlier: one, path, place: null, fixed };
    const elsewhere = here?.as === "same" ? null : findElsewhere(one, path, code);
    return { earlier: one, path: elsewhere?.path ?? path, place: elsewhere ?? here, fixed: null };
  });
}

function findFixed(one: EarlierFinding, path: string, code: CodeNow, here: CurrentPlace | null): CurrentPlace | null {
  const { suggestion, side, startLine } = one.finding;
  const stream = code.stream(path, side);
  if (suggestion === null || side === "LEFT" || stream === null) return null;
  const found = relocateSuggestion(one.shape, suggestion.text, stream, startLine, here);
  return found === null ? null : { ...found, path };
}

function pathsNow(code: CodeNow, renamed: ReadonlyMap<string, string>): (path: string) => string | null {
  const [moved, previous] = [new Map<string, string>(), new Map<string, string>()];
  const here = new Set(code.paths);
  for (const path of code.paths.toReversed()) {
    const [from, before] = [renamed.get(path), code.previousPath(path)];
    if (from !== undefined) moved.set(from, path);
    if (before !== null) previous.set(before, path);
  }
  return (path) => moved.get(path) ?? (here.has(path) ? path : (previous.get(path) ?? null));
}

function find(one: EarlierFinding, path: string, code: CodeNow): CurrentPlace | null {
  const stream = code.stream(path, one.finding.side);
  const found = stream === null ? null : relocateCode(one.shape, stream, one.finding.startLine);
  return found === null ? null : { ...found, path };
}

function findElsewhere(one: EarlierFinding, path: string | null, code: CodeNow): CurrentPlace | null {
  const least = path === null ? TELLING_WHEN_GONE : TELLING_ELSEWHERE;
  const found = code.paths.flatMap((other) => (other === path ? [] : (findThere(one, other, code, least) ?? [])));
  return found.toSorted((a, b) => b.agreement - a.agreement)[0] ?? null;
}

function findThere(one: EarlierFinding, path: string, code: CodeNow, least: number): CurrentPlace | null {
  const hunks = code.hunks(path, one.finding.side);
  // Most files do not even contain the words.
  if (hunks === null || !one.shape.at.every((token) => hunks.vocabulary.has(token))) return null;
  const found = relocateCode(one.shape, hunks.stream, one.finding.startLine);
  const isDistinctive = found?.as === "same" && one.shape.at.length + found.agreement >= least;
  return found !== null && isDistinctive ? { ...found, path } : null;
}

/**
 * What checked the code this time: rules over every file; tools with complete results for this
 * head; a model that read everything, now or before.
 *
 * @param degraded of this review's rules and of what gather read for them
 */
export function whoLooked(coverage: Coverage | null, degraded: readonly Degraded[], tools: ToolReport) {
  const isRead = coverage?.files.every(({ state }) => state === "full" || state === "earlier") === true;
  const unreadFor = (parts: RegExp) => degraded.some(({ part }) => parts.test(part));
  return {
    byRules: !unreadFor(/^(?:rule |custom rule |structural-rules|head-text|files|diff|patch)/),
    byTools: (finding: Finding) =>
      claimants(finding).every((rule) => tools.complete.includes(ofTool(rule)?.tool ?? "")),
    byModel: isRead && coverage.unanswered === 0 && !unreadFor(/^(?:model|coverage|files|diff|patch)/),
  };
}

const UNSEEN = "not checked this time";

/**
 * Earlier findings that were neither found nor held back: open on unchanged code, perhaps addressed
 * when it changed and was checked, else unknown. Silence alone never closes anything.
 */
export function openFindings(
  located: readonly LocatedFinding[],
  context: PullRequestContext,
  looked: ReturnType<typeof whoLooked>,
) {
  const open: PlacedFinding[] = [];
  const addressed: Addressed[] = [];
  const leftOut = new Set(context.leftOut.map(({ path }) => path));
  const spared = new Set(context.spared.map(({ path }) => path));
  for (const one of located) {
    const { earlier, path, place } = one;
    const changed = changeOf(one, leftOut);
    // Memory compares code with code, which happens each time.
    const isByMemory = earlier.finding.source === "memory" && !earlier.recovered;
    const isSpared = path !== null && spared.has(path);
    const byModel = looked.byModel && !isSpared;
    const { source } = earlier.finding;
    const byOthers = source === "tool" ? looked.byTools(earlier.finding) : byModel;
    const wasLookedAt = isByMemory || (source === "rule" ? looked.byRules : byOthers);
    if (changed !== null && wasLookedAt) {
      // A rule may be silent for another reason than a changed code.
      const isRemoved = path !== null && earlier.shape.at.length > 0 && place?.as !== "same";
      addressed.push({ finding: earlier.finding, url: earlier.url, reason: changed, isRemoved });
    } else open.push(openFinding(one, changed === null && path !== null ? "still open" : UNSEEN));
  }
  return { open, addressed };
}

/** Why the finding may be addressed: what happened to its code; null when it is unchanged. */
function changeOf({ earlier, path, place, fixed }: LocatedFinding, leftOut: ReadonlySet<string>): string | null {
  const isOnFile = earlier.finding.locMethod === "none" || earlier.shape.at.length === 0;
  if (path === null) return leftOut.has(earlier.finding.path) ? null : "its file is no longer part of the change";
  if (fixed !== null) return "its code has changed as we suggested";
  if (earlier.finding.source === "rule") return "its rule no longer finds it";
  if (earlier.finding.source === "tool") return "its tool no longer reports it";
  return place?.as === "same" || isOnFile ? null : "its code has changed";
}

function openFinding({ earlier, place, path }: LocatedFinding, reason: string): PlacedFinding {
  const { startLine, line } = place ?? earlier.finding;
  const now = { path: place?.path ?? path ?? earlier.finding.path, startLine, line };
  const finding = { ...earlier.finding, ...now, suggestion: null };
  if (earlier.place === "summary")
    return { finding, place: "summary", reason: `reported here at an earlier push: ${reason}` };
  return { finding, place: "already-posted", reason };
}

/** The place of an earlier finding: its comment, or the summary if it was posted there. */
export function placeOfKnown({ finding }: PlacedFinding, earlier: EarlierFinding): PlacedFinding {
  if (earlier.place === "summary") return { finding, place: "summary", reason: "reported here at an earlier push" };
  return { finding, place: "already-posted", reason: "already commented on" };
}

/** As many as gather reads back. */
const MOST_SAID = 500;

/**
 * All reported findings with their code, for later reviews, each at its newest place: earlier ones
 * in their order, then new ones.
 *
 * @param findings of this review as they are placed
 * @param located earlier findings
 */
export function recordFindings(
  findings: readonly PlacedFinding[],
  located: readonly LocatedFinding[],
  code: CodeNow,
): readonly EarlierFinding[] {
  const placed = new Map(findings.map((finding) => [finding.finding.id, finding]));
  const before = located.map(({ earlier, place }) => {
    const now = placed.get(earlier.finding.id)?.finding;
    const at = now ?? place;
    if (at === null || at === undefined) return earlier;
    // A finding that was found again in edited code is identified by that code from now on.
    if (now === undefined && place?.as !== "same") return earlier;
    const claimed = now === undefined ? earlier.finding : withClaim(earlier.finding, now);
    const { severity } = earlier.finding;
    const finding = { ...claimed, severity, path: at.path, startLine: at.startLine, line: at.line };
    const shape = shapeAt(finding, code);
    return { ...earlier, finding, shape: shape.at.length === 0 ? earlier.shape : shape };
  });
  const known = new Set(before.map(({ finding }) => finding.id));
  const now = { url: null, recovered: false };
  const fresh = findings.flatMap(({ finding, place }): EarlierFinding[] =>
    place === "already-posted" || known.has(finding.id)
      ? []
      : // Precedents are already in memory.
        [{ ...now, finding: { ...finding, precedents: [] }, place, shape: shapeAt(finding, code) }],
  );
  return [...before, ...fresh].slice(-MOST_SAID);
}

function shapeAt(finding: Finding, code: CodeNow): EarlierFinding["shape"] {
  const stream = finding.locMethod === "none" ? null : code.stream(finding.path, finding.side);
  return stream === null ? { before: [], at: [], after: [] } : shapeOf(stream, finding.startLine, finding.line);
}
