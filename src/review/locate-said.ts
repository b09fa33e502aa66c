// Where each finding that was said stands after a push: on its lines, wherever they went, or nowhere.
import { textTokens } from "../domain/code/code-fingerprint.ts";
import { type FoundAgain, findAgain } from "../domain/code/relocate-code.ts";
import type { Said } from "../domain/review/review-history.ts";
import type { CodeNow } from "./code-now.ts";

/** A place of now. */
export interface SaidPlace extends FoundAgain {
  readonly path: string;
}

/** What is known of one finding that was said. */
export interface LocatedSaid {
  readonly said: Said;
  /** The path that its file has now; null when no reviewed file is it. */
  readonly path: string | null;
  /** Null when its code is gone, or was never known. */
  readonly place: SaidPlace | null;
  /** Where the code reads now as we suggested; null when it does not, or nothing was suggested. */
  readonly fixed: SaidPlace | null;
}

/**
 * Code found in another file must be this long, or agree this far with what stood around it, to be the same code; less is
 * enough where its own file is gone.
 */
const TELLING_ELSEWHERE = 12;
const TELLING_WHEN_GONE = 8;

/**
 * Finds what was said again in the code of now. Its file is the one of the same name, or the one that took its place by a
 * rename; failing that, a file that holds its code word for word when its own file does not.
 *
 * @param renamed path now → path when it was said, as the push tells it
 */
export function locateSaid(
  said: readonly Said[],
  code: CodeNow,
  renamed: ReadonlyMap<string, string>,
): readonly LocatedSaid[] {
  return said.map((one) => {
    const path = pathNow(one.finding.path, code, renamed);
    const here = path === null ? null : find(one, path, code);
    if (here?.as === "same") return { said: one, path, place: here, fixed: null };
    const elsewhere = findElsewhere(one, path, code);
    if (elsewhere !== null) return { said: one, path: elsewhere.path, place: elsewhere, fixed: null };
    const fixed = path === null ? null : findFixed(one, path, code);
    return { said: one, path, place: fixed === null ? here : null, fixed };
  });
}

/** An empty suggestion deletes lines, and nothing is found in their place. */
function findFixed(one: Said, path: string, code: CodeNow): SaidPlace | null {
  const { suggestion, side } = one.finding;
  if (suggestion === null || side === "LEFT") return null;
  const found = find({ ...one, shape: { ...one.shape, at: textTokens(suggestion.text) } }, path, code);
  return found?.as === "same" ? found : null;
}

function pathNow(path: string, code: CodeNow, renamed: ReadonlyMap<string, string>): string | null {
  const moved = code.paths.find((one) => renamed.get(one) === path);
  if (moved !== undefined) return moved;
  return code.paths.includes(path) ? path : (code.paths.find((one) => code.previousPath(one) === path) ?? null);
}

function find(one: Said, path: string, code: CodeNow): SaidPlace | null {
  const stream = code.stream(path, one.finding.side);
  const found = stream === null ? null : findAgain(one.shape, stream, one.finding.startLine);
  return found === null ? null : { ...found, path };
}

function findElsewhere(one: Said, path: string | null, code: CodeNow): SaidPlace | null {
  let best: SaidPlace | null = null;
  for (const other of code.paths) {
    const least = path === null ? TELLING_WHEN_GONE : TELLING_ELSEWHERE;
    const found = other === path ? null : findThere(one, other, code, least);
    if (found !== null && (best === null || found.agreement > best.agreement)) best = found;
  }
  return best;
}

function findThere(one: Said, path: string, code: CodeNow, least: number): SaidPlace | null {
  const hunks = code.hunks(path, one.finding.side);
  // Most files do not even have the words.
  if (hunks === null || !one.shape.at.every((token) => hunks.vocabulary.has(token))) return null;
  const found = findAgain(one.shape, hunks.stream, one.finding.startLine);
  const isTelling = found?.as === "same" && one.shape.at.length + found.agreement >= least;
  return found !== null && isTelling ? { ...found, path } : null;
}
