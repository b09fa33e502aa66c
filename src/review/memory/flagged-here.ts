// Finds code from findings of other pull requests in this change, by its tokens: moving, renaming
// or reformatting does not hide it.
import { type Flagged, keyAt, type TokenStream } from "../../domain/code/code-fingerprint.ts";
import { agreementOf, PUNCTUATION, renamedTokens } from "../../domain/code/relocate-code.ts";
import type { FlaggedInChange, FlaggedPlace } from "../../domain/memory/rejections.ts";
import type { FileDiff, Side } from "../../domain/pull-request.ts";
import { type CodeNow, codeNow } from "../placing/code-now.ts";

/** Limits on the tokens of one change, and on the places tried per key. */
const MOST_TOKENS = 400_000;
const MOST_PLACES = 200;

/**
 * Code with so many different words is recognised by itself, other code only with what is around
 * it. `if err != nil { return err }` has four and is everywhere; a line with a call has six.
 */
const TELLING_WORDS = 6;
const TELLING_AROUND = 6;
/** Share of its tokens from which the start of code counts: findings quote different lengths. */
const BEGINNING = 0.7;

/** The lookup keys of the head's side of the hunks (see keyAt), each once. */
export function beginnings(files: readonly FileDiff[]): readonly number[] {
  const code = codeNow(files, new Map());
  return [...index(code, "RIGHT").keys()];
}

/** The flagged code in the hunks of a change, in the given order. */
export function flaggedInChange(flagged: readonly Flagged[], files: readonly FileDiff[]): readonly FlaggedInChange[] {
  const code = codeNow(files, new Map());
  const added = addedLines(files);
  const [now, before] = [index(code, "RIGHT"), index(code, "LEFT")];
  /** By the code: much of memory is about the same lines. */
  const known = new Map<string, Pick<FlaggedInChange, "places" | "isAdded" | "isDistinctive"> | null>();
  const lookUp = (flagged: Flagged) => {
    const found = occurrences(flagged, now);
    if (found.length === 0) return null;
    const isNew = ({ place, lines }: Occurrence) => lines.some((line) => added.get(place.path)?.has(line) === true);
    const isAlone = ({ place, lines }: Occurrence) => lines.every((line) => added.get(place.path)?.has(line) === true);
    const rank = (occurrence: Occurrence) => (occurrence.place.isWhole ? 2 : 0) + (isAlone(occurrence) ? 1 : 0);
    const ranks = new Map(found.map((occurrence) => [occurrence, rank(occurrence)]));
    const places = found.toSorted((a, b) => (ranks.get(b) ?? 0) - (ranks.get(a) ?? 0)).map(({ place }) => place);
    const whole = found.filter(({ place }) => place.isWhole);
    const wholeBefore = occurrences(flagged, before).filter(({ place }) => place.isWhole);
    const isAdded = whole.some(isNew) && whole.length > wholeBefore.length;
    const agreement = Math.max(...found.map((occurrence) => occurrence.agreement));
    return { places, isAdded, isDistinctive: isDistinctive(flagged, agreement) };
  };
  return flagged.flatMap((one): readonly FlaggedInChange[] => {
    const { before: left, at, after } = one.shape;
    const key = `${left.join(" ")}|${at.join(" ")}|${after.join(" ")}`;
    const found = known.has(key) ? (known.get(key) ?? null) : lookUp(one);
    known.set(key, found);
    return found === null ? [] : [{ ...one, ...found }];
  });
}

interface Start {
  readonly path: string;
  readonly stream: TokenStream;
  readonly from: number;
}

type Index = ReadonlyMap<number, readonly Start[]>;

function index(code: CodeNow, side: Side): Index {
  const starts = new Map<number, Start[]>();
  let left = MOST_TOKENS;
  for (const path of code.paths) {
    const stream = code.hunks(path, side)?.stream;
    if (stream === undefined || left <= 0) continue;
    const most = Math.min(stream.tokens.length, left);
    left -= most;
    for (let from = 0; from < most; from++) addStart(starts, { path, stream, from });
  }
  return starts;
}

function addStart(starts: Map<number, Start[]>, start: Start): void {
  const key = keyAt(start.stream.tokens, start.from);
  if (key === null) return;
  const known = starts.get(key);
  if (known === undefined) starts.set(key, [start]);
  else if (known.length < MOST_PLACES) known.push(start);
}

interface Occurrence {
  readonly place: FlaggedPlace;
  /** The lines with its tokens: lines between two hunks are not among them. */
  readonly lines: readonly number[];
  readonly agreement: number;
}

function occurrences({ shape }: Flagged, starts: Index): readonly Occurrence[] {
  const { at, after } = shape;
  const key = keyAt([...at, ...after], 0);
  if (key === null || at.length === 0) return [];
  return (starts.get(key) ?? []).flatMap(({ path, stream, from }): Occurrence[] => {
    const { tokens } = stream;
    const differs = at.findIndex((token, index) => tokens[from + index] !== token);
    const length = differs < 0 ? at.length : differs;
    // The quoted code may end earlier here, but not continue under other names.
    if (length < BEGINNING * at.length) return [];
    if (differs >= 0 && renamedTokens(at, tokens.slice(from, from + at.length)) !== null) return [];
    const lines = linesOf(stream, from, length);
    const place = { path, startLine: lines[0] ?? 1, line: lines.at(-1) ?? 1, isWhole: differs < 0 };
    return [{ place, lines, agreement: agreementOf(shape, tokens, from, length) }];
  });
}

/** Each once. A line has many tokens, and this runs for hundreds of thousands of places. */
function linesOf({ lines }: TokenStream, from: number, length: number): readonly number[] {
  const found: number[] = [];
  for (let at = from; at < from + length; at++) {
    const line = lines[at];
    if (line !== undefined && line !== found.at(-1)) found.push(line);
  }
  return found;
}

function isDistinctive({ shape }: Flagged, agreement: number): boolean {
  const words = new Set(shape.at.filter((token) => !PUNCTUATION.has(token)));
  return words.size >= TELLING_WORDS || agreement >= TELLING_AROUND;
}

function addedLines(files: readonly FileDiff[]): ReadonlyMap<string, ReadonlySet<number>> {
  return new Map(
    files.map(({ path, hunks }) => [
      path,
      new Set(
        hunks.flatMap(({ lines }) => lines.flatMap((line) => (line.kind === "added" ? (line.newLine ?? []) : []))),
      ),
    ]),
  );
}
