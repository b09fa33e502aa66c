// Sharing out the budget of a context: each kind has its part, what is left goes to what is worth
// most, and what found no place is counted. No line is shown twice, and none that the diff shows.
import type { ChangeContext, ContextKind, Excerpt } from "../domain/change-context.ts";
import { cutText } from "../domain/text/cut-text.ts";

/** Lines that may be shown. Ranges are 1-based, inclusive. */
export interface Candidate {
  readonly kind: ContextKind;
  readonly path: string;
  readonly why: string;
  /**
   * The changed function or file that it is shown for: each has a bounded share of a kind's part.
   */
  readonly of: string;
  readonly short: readonly Range[];
  /** Shown in place of `short` where the budget allows it; contains it. */
  readonly full: readonly Range[];
  /** Against others of its kind. */
  readonly worth: number;
}

export interface Range {
  readonly first: number;
  readonly last: number;
}

/** Kinds by rank, each with what it may take before the others had their part. */
const PARTS: Readonly<Record<ContextKind, number>> = {
  enclosing: 0.4,
  called: 0.3,
  caller: 0.2,
  implemented: 0.1,
  definition: 0.12,
  sibling: 0.08,
  mentioned: 0.06,
  package: 0.05,
};
const RANKS = Object.keys(PARTS);
/** Kinds that take no more than their part, even where others leave space. */
const BOUNDED: ReadonlySet<ContextKind> = new Set(["definition", "sibling", "mentioned", "package"]);
/** Of a kind's part for one changed function, however many there are; of two each may take all. */
const LEAST_SHARE = 0.25;
const LINE_CHARS = 300;
/** UTF-16 units of a heading, and of the mark before a run of lines. */
const HEADING_CHARS = 40;
const RUN_CHARS = 16;

/**
 * @param texts lines of each file at the head
 * @param inDiff lines that the diff shows, by path
 * @param budget UTF-16 units
 */
export function shareBudget(
  candidates: readonly Candidate[],
  texts: ReadonlyMap<string, readonly string[]>,
  inDiff: ReadonlyMap<string, ReadonlySet<number>>,
  budget: number,
): { readonly excerpts: readonly Excerpt[]; readonly used: number; readonly cut: ChangeContext["cut"] } {
  const shown = new Map<string, { lines: Set<number>; why: Set<string> }>();
  const ordered = [...candidates].sort((a, b) => RANKS.indexOf(a.kind) - RANKS.indexOf(b.kind) || b.worth - a.worth);
  const taken = new Set<Candidate>();
  const subjects = Map.groupBy(new Set(ordered.map(({ kind, of }) => `${kind} ${of}`)), (one) => one.split(" ")[0]);
  const spent = new Map<string, number>();
  const left = ({ kind, of }: Candidate) => {
    const part = PARTS[kind] * budget;
    const share = Math.max(LEAST_SHARE, Math.min(1, 2 / (subjects.get(kind)?.length ?? 1)));
    return Math.min(part - (spent.get(kind) ?? 0), part * share - (spent.get(`${kind} ${of}`) ?? 0));
  };
  let used = 0;

  const missing = ({ path }: Candidate, ranges: readonly Range[]) => {
    const text = texts.get(path) ?? [];
    const isBlank = (line: number) => (text[line - 1] ?? "").trim() === "";
    return ranges.flatMap(({ first, last }) => {
      const lines = Array.from({ length: Math.max(0, Math.min(last, text.length) - first + 1) }, (_, at) => first + at);
      const fresh = lines.filter(
        (line) => inDiff.get(path)?.has(line) !== true && shown.get(path)?.lines.has(line) !== true,
      );
      // Blank lines around a hunk, or at the end of a file, say nothing.
      return fresh.every(isBlank) ? [] : fresh;
    });
  };
  const take = (candidate: Candidate, ranges: readonly Range[], most: number): boolean => {
    const lines = missing(candidate, ranges);
    const text = texts.get(candidate.path) ?? [];
    const isNew = !shown.has(candidate.path);
    const cost =
      lines.reduce((sum, line) => sum + Math.min(LINE_CHARS, text[line - 1]?.length ?? 0) + 1, 0) +
      (lines.length === 0 ? 0 : ranges.length * RUN_CHARS) +
      (isNew && lines.length > 0 ? candidate.path.length + HEADING_CHARS : 0);
    if (cost > most || used + cost > budget) return false;
    used += cost;
    for (const key of [candidate.kind, `${candidate.kind} ${candidate.of}`])
      spent.set(key, (spent.get(key) ?? 0) + cost);
    if (lines.length === 0) return true;
    const known = shown.get(candidate.path) ?? { lines: new Set<number>(), why: new Set<string>() };
    shown.set(candidate.path, known);
    for (const line of lines) known.lines.add(line);
    known.why.add(candidate.why);
    return true;
  };

  for (const candidate of ordered) if (take(candidate, candidate.short, left(candidate))) taken.add(candidate);
  for (const candidate of ordered) if (taken.has(candidate)) take(candidate, candidate.full, left(candidate));
  for (const candidate of ordered) {
    if (BOUNDED.has(candidate.kind)) continue;
    if (!taken.has(candidate) && take(candidate, candidate.short, budget)) taken.add(candidate);
    if (taken.has(candidate)) take(candidate, candidate.full, budget);
  }

  const excerpts = [...shown].map(([path, { lines, why }]) => ({
    path,
    why: [...why],
    lines: [...lines]
      .sort((a, b) => a - b)
      .map((line) => ({ line, text: shownLine(texts.get(path)?.[line - 1] ?? "") })),
  }));
  const byEnd = Map.groupBy(ordered, (candidate) => (taken.has(candidate) ? null : candidate.kind));
  const cut = [...byEnd].flatMap(([kind, { length: count }]) => (kind === null ? [] : [{ kind, count }]));
  return { excerpts, used, cut };
}

/** A line as it is shown: a long one is cut. */
export function shownLine(text: string): string {
  const line = text.replace(/\r$/, "");
  return line.length > LINE_CHARS ? `${cutText(line, LINE_CHARS)}…(cut)` : line;
}
