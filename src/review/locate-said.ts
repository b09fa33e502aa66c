// Locates earlier findings after a push: at their lines, wherever those moved, or nowhere.
import { textTokens } from "../domain/code/code-fingerprint.ts";
import { type FoundAgain, findAgain } from "../domain/code/relocate-code.ts";
import type { Said } from "../domain/review/review-history.ts";
import type { CodeNow } from "./code-now.ts";

/** A place in the current code. */
export interface SaidPlace extends FoundAgain {
  readonly path: string;
}

/** An earlier finding with its current place. */
export interface LocatedSaid {
  readonly said: Said;
  /** The current path of its file; null when no reviewed file is it. */
  readonly path: string | null;
  /** Null when its code was removed, or was never known. */
  readonly place: SaidPlace | null;
  /** Where the code now matches our suggestion; null when it does not, or there was none. */
  readonly fixed: SaidPlace | null;
}

/**
 * To be the same code in another file, code must be this long or match this much of its surroundings; less is enough
 * when its own file was removed.
 */
const TELLING_ELSEWHERE = 12;
const TELLING_WHEN_GONE = 8;

/**
 * Finds earlier findings in the current code. Their file is the one of the same name, or its rename; failing that, a
 * file that contains the exact code when its own file does not.
 *
 * @param renamed current path → path at the earlier review, according to the push
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

/** An empty suggestion deletes lines, so there is nothing to find. */
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
  // Most files do not even contain the words.
  if (hunks === null || !one.shape.at.every((token) => hunks.vocabulary.has(token))) return null;
  const found = findAgain(one.shape, hunks.stream, one.finding.startLine);
  const isTelling = found?.as === "same" && one.shape.at.length + found.agreement >= least;
  return found !== null && isTelling ? { ...found, path } : null;
}
