// Where code that was spoken about stands now: by its tokens, whatever was reformatted, moved or renamed meanwhile.
import type { CodeShape, TokenStream } from "./code-shape.ts";

export interface FoundAgain {
  /** `same`: token for token; `alike`: edited. */
  readonly as: "same" | "alike";
  /** 1-based, inclusive. */
  readonly startLine: number;
  readonly line: number;
  /** How many tokens before and after agree. */
  readonly agreement: number;
}

/** Code of fewer tokens ("}", "return x") says where it is only together with what stands around it. */
const TELLING = 5;
const TELLING_AROUND = 6;
/** Occurrences compared; code that stands more often than this is told apart by its neighbours in the first ones. */
const MOST_OCCURRENCES = 500;
/** Share of tokens in common by which edited code is known. */
const ALIKE = 0.7;

/**
 * Finds code again.
 *
 * @param near the line where it stood, to choose between equals
 * @returns null when it is gone. Linear in the stream but for repeats of its first tokens
 */
export function findAgain(shape: CodeShape, stream: TokenStream, near: number): FoundAgain | null {
  if (shape.at.length === 0) return null;
  let best: FoundAgain | null = null;
  for (const from of occurrences(shape.at, stream.tokens)) {
    const found = at(stream, from, shape.at.length, "same", agreementOf(shape, stream.tokens, from));
    if (!isTelling(shape, found.agreement)) continue;
    if (best === null || isBetter(found, best, near)) best = found;
  }
  return best ?? (shape.at.length >= TELLING ? alike(shape, stream, near) : null);
}

function isTelling({ before, at, after }: CodeShape, agreement: number): boolean {
  return at.length >= TELLING || agreement >= Math.min(TELLING_AROUND, before.length + after.length);
}

function isBetter(a: FoundAgain, b: FoundAgain, near: number): boolean {
  if (a.agreement !== b.agreement) return a.agreement > b.agreement;
  return Math.abs(a.startLine - near) < Math.abs(b.startLine - near);
}

function at({ lines }: TokenStream, from: number, length: number, as: FoundAgain["as"], agreement: number): FoundAgain {
  return { as, startLine: lines[from] ?? 1, line: lines[from + length - 1] ?? 1, agreement };
}

/** Knuth, Morris and Pratt: where the sequence stands, overlaps included. */
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

function agreementOf({ before, at, after }: CodeShape, tokens: readonly number[], from: number): number {
  let left = 0;
  while (left < before.length && before.at(-1 - left) === tokens[from - 1 - left]) left++;
  let right = 0;
  while (right < after.length && after[right] === tokens[from + at.length + right]) right++;
  return left + right;
}

/** The window of as many tokens that has most of them in common, in any order. */
function alike(shape: CodeShape, stream: TokenStream, near: number): FoundAgain | null {
  const size = Math.min(shape.at.length, stream.tokens.length);
  const missing = new Map<number, number>();
  for (const token of shape.at) missing.set(token, (missing.get(token) ?? 0) + 1);
  let common = 0;
  let best: FoundAgain | null = null;
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
    if (best === null || common > most || isBetter(found, best, near)) best = found;
    most = common;
  }
  return best;
}
