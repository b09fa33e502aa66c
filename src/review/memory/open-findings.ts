// Earlier findings that were not found this time: open when their code is unchanged, perhaps addressed when it changed
// and was checked, unknown when it was not checked. Silence alone never closes anything.
import { shapeOf } from "../../domain/code/code-fingerprint.ts";
import type { Finding } from "../../domain/finding.ts";
import type { Degraded } from "../../domain/omissions.ts";
import type { PullRequestContext } from "../../domain/pull-request.ts";
import type { EarlierFinding } from "../../domain/review/review-history.ts";
import type { Addressed, Coverage, PlacedFinding } from "../../domain/review.ts";
import type { CodeNow } from "../placing/code-now.ts";
import type { LocatedFinding } from "./match-earlier-findings.ts";

interface OpenFindings {
  /** Still reported as findings. */
  readonly open: readonly PlacedFinding[];
  readonly addressed: readonly Addressed[];
}

/** What checked the code this time. */
interface Looked {
  /** Every rule ran over every file. */
  readonly byRules: boolean;
  /** A model read everything, now or at an earlier push. */
  readonly byModel: boolean;
}

/** @param degraded of this review's rules and of what gather read for them */
export function whoLooked(coverage: Coverage | null, degraded: readonly Degraded[]): Looked {
  const isRead = coverage?.files.every(({ state }) => state === "full" || state === "earlier") === true;
  const unreadFor = (parts: RegExp) => degraded.some(({ part }) => parts.test(part));
  return {
    byRules: !unreadFor(/^(?:rule |custom rule |structural-rules|head-text|dependency-advisories|files|diff|patch)/),
    byModel: isRead && coverage.unanswered === 0 && !unreadFor(/^(?:model|coverage|files|diff|patch)/),
  };
}

const UNSEEN = "not checked this time";

/**
 * Sorts earlier findings that are not among this review's findings.
 *
 * @param located earlier findings that were neither found nor held back this time
 */
export function openFindings(
  located: readonly LocatedFinding[],
  context: PullRequestContext,
  looked: Looked,
): OpenFindings {
  const open: PlacedFinding[] = [];
  const addressed: Addressed[] = [];
  const leftOut = new Set(context.leftOut.map(({ path }) => path));
  for (const one of located) {
    const { said } = one;
    const wasSeen = wasLookedAt(said, looked);
    const changed = changeOf(one, leftOut);
    if (changed !== null && wasSeen) {
      const removed = isRemoved(one) ? ({ isRemoved: true } as const) : {};
      addressed.push({ finding: said.finding, url: said.url, reason: changed, ...removed });
    } else open.push(openFinding(one, changed === null && one.path !== null ? "still open" : UNSEEN));
  }
  return { open, addressed };
}

/** Memory compares code with code, which happens each time. */
function wasLookedAt({ finding, recovered }: EarlierFinding, looked: Looked): boolean {
  if (finding.source === "memory" && recovered !== true) return true;
  return finding.source === "rule" ? looked.byRules : looked.byModel;
}

/** A rule may be silent for another reason than a changed code. */
function isRemoved({ said, path, place }: LocatedFinding): boolean {
  return path !== null && said.shape.at.length > 0 && place?.as !== "same";
}

/** What happened to the code, as a reason to believe that the finding is addressed; null when it is unchanged. */
function changeOf({ said, path, place, fixed }: LocatedFinding, leftOut: ReadonlySet<string>): string | null {
  const isOnFile = said.finding.locMethod === "none" || said.shape.at.length === 0;
  if (path === null) return leftOut.has(said.finding.path) ? null : "its file is no longer part of the change";
  if (fixed !== null) return "its code has changed as we suggested";
  if (said.finding.source === "rule") return "its rule no longer finds it";
  return place?.as === "same" || isOnFile ? null : "its code has changed";
}

function openFinding({ said, place, path }: LocatedFinding, reason: string): PlacedFinding {
  const { startLine, line } = place ?? said.finding;
  const now = { path: place?.path ?? path ?? said.finding.path, startLine, line };
  const finding = { ...said.finding, ...now, suggestion: null };
  if (said.place === "summary")
    return { finding, place: "summary", reason: `reported here at an earlier push: ${reason}` };
  return { finding, place: "already-posted", reason };
}

/** The place of an earlier finding: its comment, or the summary if it was posted there. */
export function placeOfKnown(placed: PlacedFinding, said: EarlierFinding): PlacedFinding {
  return said.place === "summary"
    ? { finding: placed.finding, place: "summary", reason: "reported here at an earlier push" }
    : { finding: placed.finding, place: "already-posted", reason: "already commented on" };
}

// Records this review's findings with their code, for later reviews.

/** As many as gather reads back. */
const MOST_SAID = 500;

/**
 * All reported findings, each at its newest place: earlier ones in their old order, then the new ones.
 *
 * @param findings of this review as they are placed
 * @param located earlier findings
 */
export function recordFindings(
  findings: readonly PlacedFinding[],
  located: readonly LocatedFinding[],
  code: CodeNow,
): readonly EarlierFinding[] {
  const placed = new Map(findings.map((one) => [one.finding.id, one]));
  const before = located.map(({ said, place }) => {
    const now = placed.get(said.finding.id)?.finding;
    const at = now ?? place;
    if (at === null || at === undefined) return said;
    // A finding that was found again in edited code is identified by that code from now on.
    if (now === undefined && place?.as !== "same") return said;
    const finding = { ...said.finding, path: at.path, startLine: at.startLine, line: at.line };
    const shape = shapeAt(finding, code);
    return { ...said, finding, shape: shape.at.length === 0 ? said.shape : shape };
  });
  const known = new Set(before.map(({ finding }) => finding.id));
  const fresh = findings.flatMap(({ finding, place }): EarlierFinding[] =>
    place === "already-posted" || known.has(finding.id)
      ? []
      : // Precedents are already in memory.
        [{ finding: { ...finding, precedents: [] }, place, shape: shapeAt(finding, code), url: null }],
  );
  return [...before, ...fresh].slice(-MOST_SAID);
}

function shapeAt(finding: Finding, code: CodeNow): EarlierFinding["shape"] {
  const stream = finding.locMethod === "none" ? null : code.stream(finding.path, finding.side);
  return stream === null ? { before: [], at: [], after: [] } : shapeOf(stream, finding.startLine, finding.line);
}
