// Code that somebody changed because of a finding, and that comes back: said with the pull request that changed it.
import { type Finding, findingId, type Precedent } from "../domain/finding.ts";
import type { FlaggedHere } from "../domain/memory/repository-history.ts";
import { isoDate } from "../domain/text/iso-date.ts";
import { isAbout, withPrecedent } from "./held-by-memory.ts";

/** A change that brings back more is a revert, and its first lines tell that. */
const MOST = 20;

/**
 * Findings about code that comes back. Where a rule or a model says the same, its finding stays and says that it is not the
 * first time; where nobody does, memory speaks.
 *
 * @param found what rules and model found
 * @param flagged newest first; `declined` holds the memory ids of those that nobody wants to hear about again
 * @returns `found`, in its order, and what memory adds
 */
export function reintroduced(
  found: readonly Finding[],
  flagged: readonly FlaggedHere[],
  declined: ReadonlySet<string>,
): readonly Finding[] {
  const back = flagged
    .filter(({ fixedAt, isAdded, isTelling }) => fixedAt !== null && isAdded && isTelling)
    .filter(({ memoryId }) => !declined.has(memoryId))
    .map((one) => ({ ...one, places: one.places.filter(({ isWhole }) => isWhole) }));
  const places = new Set<string>();
  const first = back
    .toSorted((a, b) => (b.fixedAt ?? 0) - (a.fixedAt ?? 0))
    .filter((one) => {
      const at = placeKey(one);
      return places.has(at) ? false : places.add(at) !== undefined;
    })
    .slice(0, MOST);
  const told = found.map((finding) => {
    const one = first.find((other) => isAbout(finding, other));
    return one === undefined ? finding : saidAgain(finding, one);
  });
  const own = first.flatMap((one) => (found.some((finding) => isAbout(finding, one)) ? [] : (byMemory(one) ?? [])));
  return [...told, ...own];
}

function placeKey({ places: [place], category }: FlaggedHere): string {
  return JSON.stringify([place?.path, place?.startLine, category]);
}

function saidAgain(finding: Finding, one: FlaggedHere): Finding {
  const body = `This re-introduces what #${one.pull} fixed on ${fixedOn(one)}. ${finding.body}`;
  return withPrecedent({ ...finding, body }, precedentOf(one));
}

function byMemory(one: FlaggedHere): Finding | null {
  const [place, ...more] = one.places;
  if (place === undefined) return null;
  const others = more.length === 0 ? "" : ` The same code stands in ${more.length} more of the changed places.`;
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
    // Token for token the code that was changed: what may have changed is whether it still matters.
    confidence: 0.9,
    suggestion: null,
    precedents: [precedentOf(one)],
  };
}

function precedentOf(one: FlaggedHere): Precedent {
  return { id: one.memoryId, url: one.url, outcome: "fixed", date: fixedOn(one), similarity: 1 };
}

function fixedOn({ fixedAt }: FlaggedHere): string {
  return isoDate(fixedAt ?? 0);
}
