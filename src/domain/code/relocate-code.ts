// Finds the current place of code by its tokens after it was reformatted, moved or renamed.
import { type CodeShape, MOST_AT, type TokenStream, textTokens } from "./code-fingerprint.ts";

export interface RelocatedCode {
  /** `same`: token for token, and nothing was added to its lines; `alike`: edited. */
  readonly as: "same" | "alike";
  /** 1-based, inclusive. */
  readonly startLine: number;
  readonly line: number;
  /** How many tokens before and after agree. */
  readonly agreement: number;
}

/** Code of fewer tokens ("}", "return x") can be located only together with the code around it. */
const TELLING = 5;
const TELLING_AROUND = 6;
/** Occurrences compared: of more frequent code only the first ones. */
const MOST_OCCURRENCES = 500;
/** Share of tokens in common from which edited code is recognised. */
const ALIKE = 0.7;
/** Tokens on one side that must agree to locate the place of removed code. */
const TELLING_SIDE = 8;

/**
 * Finds code again. Code that differs in names alone counts as renamed, unless it is another piece
 * of code: it is in another place although the neighbours of the old place are still there, or the
 * old names still occur beside it.
 *
 * @param near the line where the code was, to choose between equal matches
 * @returns null when the code was removed. Linear in the stream except for repeats of its first
 * tokens
 */
export function relocateCode(shape: CodeShape, stream: TokenStream, near: number): RelocatedCode | null {
  if (shape.at.length === 0) return null;
  let best: RelocatedCode | null = null;
  for (const from of occurrences(shape.at, stream.tokens)) {
    const as = isAddedTo(shape, stream, from) ? "alike" : "same";
    const found = at(stream, from, shape.at.length, as, agreementOf(shape, stream.tokens, from));
    if (!isDistinctive(shape, found.agreement)) continue;
    if (best === null || isBetter(found, best, near)) best = found;
  }
  return best ?? (shape.at.length >= TELLING ? alike(shape, stream, near) : null);
}

/**
 * Where the suggested text replaced the code; null when it did not. Code to which a suggestion only
 * adds lines is still found within it.
 *
 * @param found where the code itself was found, by `relocateCode`
 * @param suggestion the new text of its lines; "" deletes them, so that there is nothing to find
 */
export function relocateSuggestion(
  shape: CodeShape,
  suggestion: string,
  stream: TokenStream,
  near: number,
  found: RelocatedCode | null,
): RelocatedCode | null {
  const at = textTokens(suggestion);
  const applied = relocateCode({ ...shape, at }, stream, near);
  if (applied?.as !== "same") return null;
  if (found?.as !== "same") return applied;
  const isWithin = found.startLine >= applied.startLine && found.line <= applied.line;
  return isWithin && at.length > shape.at.length ? applied : null;
}

/**
 * Whether its first or last line holds tokens that were not beside the code: an argument, a guard,
 * or the start of a comment. Neighbours that a formatter put on its line were beside it.
 */
function isAddedTo({ before, at, after }: CodeShape, { tokens, lines }: TokenStream, from: number): boolean {
  const end = from + at.length;
  const isBefore = lines[from - 1] === lines[from] && tokens[from - 1] !== before.at(-1);
  // Of longer code the end is not known.
  return isBefore || (at.length < MOST_AT && lines[end] === lines[end - 1] && tokens[end] !== after[0]);
}

function isDistinctive({ before, at, after }: CodeShape, agreement: number): boolean {
  return at.length >= TELLING || agreement >= Math.min(TELLING_AROUND, before.length + after.length);
}

function isBetter(a: RelocatedCode, b: RelocatedCode, near: number): boolean {
  if (a.agreement !== b.agreement) return a.agreement > b.agreement;
  return Math.abs(a.startLine - near) < Math.abs(b.startLine - near);
}

function at(
  { lines }: TokenStream,
  from: number,
  length: number,
  as: RelocatedCode["as"],
  agreement: number,
): RelocatedCode {
  return { as, startLine: lines[from] ?? 1, line: lines[from + length - 1] ?? 1, agreement };
}

/** Knuth, Morris and Pratt: every position of the sequence, overlaps included. */
function* occurrences(wanted: readonly number[], tokens: readonly number[]): Generator<number> {
  const fall = fallTable(wanted);
  let matched = 0;
  let found = 0;
  for (let index = 0; index < tokens.length && found < MOST_OCCURRENCES; index++) {
    while (matched > 0 && tokens[index] !== wanted[matched]) matched = fall[matched - 1] ?? 0;
    if (tokens[index] === wanted[matched]) matched++;
    if (matched === wanted.length) {
      found++;
      yield index - wanted.length + 1;
      matched = fall[matched - 1] ?? 0;
    }
  }
}

/** For each prefix the length of its longest proper prefix that is its suffix too. */
function fallTable(wanted: readonly number[]): readonly number[] {
  const fall = [0];
  let length = 0;
  for (let index = 1; index < wanted.length; index++) {
    while (length > 0 && wanted[index] !== wanted[length]) length = fall[length - 1] ?? 0;
    if (wanted[index] === wanted[length]) length++;
    fall.push(length);
  }
  return fall;
}

/** How many tokens agree before and, if `length` is all of the code, after its first tokens. */
export function agreementOf(
  { before, at, after }: CodeShape,
  tokens: readonly number[],
  from: number,
  length = at.length,
) {
  let left = 0;
  while (left < before.length && before.at(-1 - left) === tokens[from - 1 - left]) left++;
  let right = 0;
  while (length === at.length && right < after.length && after[right] === tokens[from + length + right]) right++;
  return left + right;
}

/** Edited code; null when the most similar code is another piece of code. */
function alike(shape: CodeShape, stream: TokenStream, near: number): RelocatedCode | null {
  const best = mostAlike(shape, stream, near);
  return best === null || isAnother(shape, stream.tokens, best.from) ? null : best.found;
}

/** Whether it is another piece: outside the old place, or beside the old names. */
function isAnother(shape: CodeShape, tokens: readonly number[], from: number): boolean {
  const size = Math.min(shape.at.length, tokens.length);
  const names = renamedTokens(shape.at, tokens.slice(from, from + size));
  if (names === null) return false;
  const slot = slotOf(shape, tokens) ?? { from: 0, to: tokens.length };
  if (from + size <= slot.from || from >= slot.to) return true;
  return tokens.slice(slot.from, slot.to).some((token, at) => {
    const place = slot.from + at;
    return names.has(token) && (place < from || place >= from + size);
  });
}

/** The place between the old neighbours; null when neither is found, or one matches twice. */
function slotOf({ before, at, after }: CodeShape, tokens: readonly number[]) {
  const start = sideOf(before, tokens, -1);
  const end = sideOf(after, tokens, 1);
  if (start !== null && end !== null && start <= end) return { from: start, to: end };
  if (start !== null && end === null) return { from: start, to: start + at.length };
  return start === null && end !== null ? { from: Math.max(0, end - at.length), to: end } : null;
}

/** Where one side meets the code: the only position at which most of its tokens agree. */
function sideOf(side: readonly number[], tokens: readonly number[], step: 1 | -1): number | null {
  let [most, place, isOnly] = [TELLING_SIDE - 1, 0, false];
  for (let at = 0; at <= tokens.length; at++) {
    let length = 0;
    while (length < side.length && agrees(side, tokens, at, length, step)) length++;
    if (length < most || length < TELLING_SIDE) continue;
    isOnly = length > most;
    if (isOnly) [most, place] = [length, at];
  }
  return isOnly ? place : null;
}

/** Compares token by token, outwards from the code. */
function agrees(side: readonly number[], tokens: readonly number[], at: number, length: number, step: 1 | -1): boolean {
  return step === 1 ? side[length] === tokens[at + length] : side.at(-1 - length) === tokens[at - 1 - length];
}

/** The window of the same length that has most tokens in common, in any order. */
function mostAlike(shape: CodeShape, stream: TokenStream, near: number) {
  const size = Math.min(shape.at.length, stream.tokens.length);
  const missing = new Map<number, number>();
  for (const token of shape.at) missing.set(token, (missing.get(token) ?? 0) + 1);
  let common = 0;
  let best: { readonly found: RelocatedCode; readonly from: number } | null = null;
  let most = Math.ceil(ALIKE * shape.at.length);
  const step = (token: number | undefined, by: 1 | -1) => {
    if (token === undefined) return;
    const left = missing.get(token);
    if (left === undefined) return;
    if (by === 1 ? left > 0 : left >= 0) common += by;
    missing.set(token, left - by);
  };
  for (let end = 0; end < stream.tokens.length; end++) {
    step(stream.tokens[end], 1);
    if (end >= size) step(stream.tokens[end - size], -1);
    if (end < size - 1 || common < most) continue;
    const from = end - size + 1;
    const found = at(stream, from, size, "alike", agreementOf(shape, stream.tokens, from));
    if (best === null || common > most || isBetter(found, best.found, near)) best = { found, from };
    most = common;
  }
  return best;
}

/** Tokens that are neither a name, a number nor a word. */
export const PUNCTUATION: ReadonlySet<number> = new Set(textTokens("! # % & * + - . / : < = > ? @ [ ] ^ { | } ~"));

/**
 * The tokens of `a` that `b` replaces, when the two differ in names only: token by token, no
 * punctuation, and each name always has the same replacement. Null when more differs, or nothing
 * does.
 */
export function renamedTokens(a: readonly number[], b: readonly number[]): ReadonlySet<number> | null {
  if (a.length !== b.length) return null;
  const [forth, back] = [new Map<number, number>(), new Map<number, number>()];
  for (const [at, left] of a.entries()) {
    const right = b[at] ?? 0;
    if ((forth.get(left) ?? right) !== right || (back.get(right) ?? left) !== left) return null;
    if (left !== right && !areNames(left, right)) return null;
    forth.set(left, right);
    back.set(right, left);
  }
  const others = [...forth].flatMap(([left, right]) => (left === right ? [] : [left]));
  return others.length === 0 ? null : new Set(others);
}

function areNames(left: number, right: number): boolean {
  return !PUNCTUATION.has(left) && !PUNCTUATION.has(right);
}
