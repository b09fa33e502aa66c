// Lines that somebody spoke about, and what stands in their place later: told by the lines around them that stood still.

/** A line of a file, as far as a diff or a text tells of it. */
export interface HeadLine {
  readonly text: string;
  /** Whether a diff adds it; null where no diff tells. */
  readonly isAdded: boolean | null;
}

/** Indices into the lines given; `to` is exclusive. */
export interface LineSpan {
  readonly from: number;
  readonly to: number;
}

export interface ChangedLines {
  readonly flagged: LineSpan;
  readonly fixed: LineSpan;
}

/** Lines of flagged code: who speaks about more speaks about more than its lines. */
const MOST_LINES = 8;
/** What several lines became may be longer by so many. */
const MOST_GROWN = 2;
/** Lines around the flagged ones that must stand unchanged, so that it is the same place. */
const ANCHORS = 2;
const ANCHOR_REACH = 6;
/** Words that two versions of the same lines share at least, 0–1: fewer, and it is other code in the same place. */
const SAME_PLACE = 0.2;
/** Words of each version. */
const LEAST_WORDS = 4;
/** Lines that are compared with each other. */
const MOST_THEN = 120;
const MOST_NOW = 2_000;

export const PLACE_UNKNOWN = "the place is not found later";

/**
 * @param then lines as they stood when somebody spoke; the last 120 are read
 * @param now lines as they stand later; the first 2,000 are read
 * @param about those that were spoken about; null for the end of `then`, as of GitHub's `diff_hunk`
 * @returns or why there is no pair, in words of ours
 */
export function changedLines(
  then: readonly HeadLine[],
  now: readonly HeadLine[],
  about: LineSpan | null,
): ChangedLines | string {
  const matched = commonLines(then, now);
  const found = about === null ? atTheEnd(then, now, matched) : between(then, now, matched, about);
  if (typeof found === "string") return found;
  const spans = { flagged: withoutBlank(then, found.flagged), fixed: withoutBlank(now, found.fixed) };
  const [before, after] = [textIn(then, spans.flagged), textIn(now, spans.fixed)];
  const [a, b] = [wordsOf(before), wordsOf(after)];
  if (a.size < LEAST_WORDS || b.size < LEAST_WORDS) return "too few words";
  const shared = [...a].filter((word) => b.has(word)).length;
  if (shared / (a.size + b.size - shared) < SAME_PLACE) return "other code in the same place";
  return squeezed(before) === squeezed(after) ? "only its form changed" : spans;
}

type Matched = readonly (readonly [number, number])[];

/** Nothing is known of what followed: as many lines as were flagged, and a few more, or up to the first that a diff leaves alone. */
function atTheEnd(then: readonly HeadLine[], now: readonly HeadLine[], matched: Matched): ChangedLines | string {
  const last = matched.at(-1);
  if (last === undefined) return PLACE_UNKNOWN;
  const flagged = { from: last[0] + 1, to: then.length };
  if (flagged.from === flagged.to) return "the line stands unchanged";
  const anchors = matched.filter(([at]) => at > last[0] - ANCHOR_REACH && isTelling(then[at]));
  if (flagged.to - flagged.from > MOST_LINES || anchors.length < ANCHORS) return PLACE_UNKNOWN;
  const from = last[1] + 1;
  const still = now.findIndex(({ isAdded }, at) => at >= from && isAdded === false);
  const room = from + flagged.to - flagged.from + MOST_GROWN;
  return { flagged, fixed: { from, to: Math.min(still < 0 ? now.length : still, room) } };
}

/** What stands between the nearest lines that stood still on either side. */
function between(
  then: readonly HeadLine[],
  now: readonly HeadLine[],
  matched: Matched,
  about: LineSpan,
): ChangedLines | string {
  const above = matched.findLast(([at]) => at < about.from) ?? [-1, -1];
  const below = matched.find(([at]) => at >= about.to) ?? [then.length, now.length];
  const isInside = ([at]: readonly [number, number]) => at >= about.from && at < about.to;
  if (matched.filter(isInside).length === about.to - about.from) return "the lines stand unchanged";
  const anchors = matched.filter(
    ([at]) => at > about.from - ANCHOR_REACH && at < about.to + ANCHOR_REACH && isTelling(then[at]),
  );
  const flagged = { from: above[0] + 1, to: below[0] };
  const fixed = { from: above[1] + 1, to: below[1] };
  const lines = flagged.to - flagged.from;
  const isOther = lines > MOST_LINES || fixed.to - fixed.from > 2 * lines + MOST_GROWN;
  return isOther || anchors.length < ANCHORS ? PLACE_UNKNOWN : { flagged, fixed };
}

/** Blank lines at either end say nothing. */
function withoutBlank(lines: readonly HeadLine[], { from, to }: LineSpan): LineSpan {
  let [first, end] = [from, to];
  while (first < end && lines[first]?.text.trim() === "") first += 1;
  while (end > first && lines[end - 1]?.text.trim() === "") end -= 1;
  return { from: first, to: end };
}

/** Longest common subsequence of lines without their indentation, as index pairs. */
function commonLines(a: readonly HeadLine[], b: readonly HeadLine[]): Matched {
  const left = a.slice(-MOST_THEN).map(({ text }) => text.trim());
  const right = b.slice(0, MOST_NOW).map(({ text }) => text.trim());
  const skipped = a.length - left.length;
  const lengths = commonLengths(left, right);
  const lengthAt = (i: number, j: number) => lengths[i * (right.length + 1) + j] ?? 0;
  const pairs: (readonly [number, number])[] = [];
  let [i, j] = [0, 0];
  while (i < left.length && j < right.length) {
    if (isSame(left[i], right[j])) pairs.push([skipped + i++, j++]);
    else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}

function isSame(left: string | undefined, right: string | undefined): boolean {
  return left === right && left !== "";
}

/** At `i * (right + 1) + j`: how many lines the rests of both from there on have in common. */
function commonLengths(left: readonly string[], right: readonly string[]): Uint16Array {
  const width = right.length + 1;
  const lengths = new Uint16Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      const skip = Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
      lengths[i * width + j] = isSame(left[i], right[j]) ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1 : skip;
    }
  }
  return lengths;
}

/** The text of some lines. */
export function textIn(lines: readonly HeadLine[], { from, to }: LineSpan): string {
  return lines
    .slice(from, to)
    .map(({ text }) => text)
    .join("\n");
}

function isTelling(line: HeadLine | undefined): boolean {
  return (line?.text.match(/[\p{L}\p{N}]/gu) ?? []).length >= 4;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.match(/[\p{L}\p{N}_]+/gu) ?? []);
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, "");
}
