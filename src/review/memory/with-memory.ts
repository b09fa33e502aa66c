// Adds memory's findings and knowledge to the findings of a review.
import { type Finding, findingId, type Precedent } from "../../domain/finding.ts";
import { type FlaggedInChange, NO_HISTORY, type RepositoryHistory } from "../../domain/memory/repository-history.ts";
import type { Checkpoint } from "../../domain/review/review-history.ts";
import { isoDate } from "../../domain/text/iso-date.ts";
import type { CodeNow } from "../placing/code-now.ts";
import { isAbout, type PastMaterial, withPrecedent } from "./held-by-memory.ts";

export interface WithMemory {
  readonly findings: readonly Finding[];
  /** Ids of findings of an earlier push that only memory held back. */
  readonly revived: ReadonlySet<string>;
  readonly past: PastMaterial;
}

/** @param found findings of rules and model, in order; all of them are kept */
export async function withMemory(
  found: readonly Finding[],
  checkpoint: Checkpoint,
  code: CodeNow,
  { flagged, rejected, openPulls, now, alikeClaims }: RepositoryHistory = NO_HISTORY,
): Promise<WithMemory> {
  const again = revived(checkpoint, found, code);
  const declined = new Set(rejected.map(({ memoryId }) => memoryId));
  const findings = reintroduced([...found, ...again], flagged, declined);
  const similar = await alikeClaims(findings);
  const claims = new Map(findings.map((finding, at) => [finding, similar[at] ?? []]));
  return {
    findings,
    revived: new Set(again.map(({ id }) => id)),
    past: { flagged, rejected, openPulls, now, claims, previousPath: code.previousPath },
  };
}

// Code that was changed because of a finding, and comes back: reported with the pull request that changed it.

/** A change that brings back more is a revert, and its first lines show that. */
const MOST = 20;

/**
 * Findings about code that comes back. When a rule or model reports the same, its finding stays and mentions the
 * earlier fix; otherwise memory reports it.
 *
 * @param found findings of rules and model
 * @param flagged newest first; `declined` has the memory ids of declined findings
 * @returns `found`, in its order, and memory's own findings
 */
export function reintroduced(
  found: readonly Finding[],
  flagged: readonly FlaggedInChange[],
  declined: ReadonlySet<string>,
): readonly Finding[] {
  const back = flagged
    .filter(({ fixedAt, isAdded, isDistinctive }) => fixedAt !== null && isAdded && isDistinctive)
    .filter(({ memoryId }) => !declined.has(memoryId))
    .map((one) => ({ ...one, places: one.places.filter(({ isWhole }) => isWhole) }));
  const newest = back.toSorted((a, b) => (b.fixedAt ?? 0) - (a.fixedAt ?? 0));
  const byPlace = Map.groupBy(newest, ({ places: [place], category }) =>
    JSON.stringify([place?.path, place?.startLine, category]),
  );
  const first = [...byPlace.values()].flatMap(([one]) => one ?? []).slice(0, MOST);
  const reported = found.map((finding) => {
    const one = first.find((other) => isAbout(finding, other));
    return one === undefined ? finding : withEarlierFix(finding, one);
  });
  const own = first.flatMap((one) => (found.some((finding) => isAbout(finding, one)) ? [] : (byMemory(one) ?? [])));
  return [...reported, ...own];
}

function withEarlierFix(finding: Finding, one: FlaggedInChange): Finding {
  const body = `This re-introduces what #${one.pull} fixed on ${fixedOn(one)}. ${finding.body}`;
  return withPrecedent({ ...finding, body }, precedentOf(one));
}

function byMemory(one: FlaggedInChange): Finding | null {
  const [place, ...more] = one.places;
  if (place === undefined) return null;
  const others = more.length === 0 ? "" : ` The same code is in ${more.length} more of the changed places.`;
  return {
    id: findingId(`memory:${one.category}`, place.path, one.shape.at.map(String), 0),
    path: place.path,
    startLine: place.startLine,
    line: place.line,
    side: "RIGHT",
    severity: one.severity,
    category: one.category,
    rule: null,
    title: `Re-introduces what #${one.pull} fixed on ${fixedOn(one)}`,
    body: `These lines were changed in #${one.pull} after a finding about them: “${one.title}”.${others}`,
    source: "memory",
    // Token for token the changed code: only its relevance may differ.
    confidence: 0.9,
    suggestion: null,
    precedents: [precedentOf(one)],
  };
}

function precedentOf(one: FlaggedInChange): Precedent {
  const { memoryId: id, url, title: quote, pull } = one;
  return { id, url, outcome: "fixed", date: fixedOn(one), similarity: 1, quote, pull };
}

function fixedOn({ fixedAt }: FlaggedInChange): string {
  return isoDate(fixedAt ?? 0);
}

// Findings that memory held back at an earlier push, in files that no model reads this time: still held back, or
// reported because a person restored them.

/**
 * A model's findings that memory held back, in files that the push does not touch, so that their lines are unchanged.
 * Rules find theirs again by themselves; in touched files the model looks again.
 *
 * @param found the findings of this time
 */
function revived(checkpoint: Checkpoint, found: readonly Finding[], code: CodeNow): readonly Finding[] {
  if (checkpoint.kind === "full") return [];
  const again = new Set(found.map(({ id }) => id));
  const paths = new Set(code.paths);
  return checkpoint.heldBack.flatMap(({ finding, precedent }) => {
    const { id, path, rule } = finding;
    const isLeftAlone = paths.has(path) && !checkpoint.touched.has(path) && !checkpoint.renamed.has(path);
    return precedent !== undefined && rule === null && isLeftAlone && !again.has(id) ? [finding] : [];
  });
}
