// Locates earlier findings after a push: at their lines, wherever those moved, or nowhere.
import { textTokens } from "../../domain/code/code-fingerprint.ts";
import { type RelocatedCode, relocateCode } from "../../domain/code/relocate-code.ts";
import type { EarlierFinding } from "../../domain/review/review-history.ts";
import type { CodeNow } from "../placing/code-now.ts";

/** A place in the current code. */
export interface CurrentPlace extends RelocatedCode {
  readonly path: string;
}

/** An earlier finding with its current place. */
export interface LocatedFinding {
  readonly said: EarlierFinding;
  /** The current path of its file; null when no reviewed file is it. */
  readonly path: string | null;
  /** Null when its code was removed, or was never known. */
  readonly place: CurrentPlace | null;
  /** Where the code now matches our suggestion; null when it does not, or there was none. */
  readonly fixed: CurrentPlace | null;
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
export function locateEarlierFindings(
  said: readonly EarlierFinding[],
  code: CodeNow,
  renamed: ReadonlyMap<string, string>,
): readonly LocatedFinding[] {
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
function findFixed(one: EarlierFinding, path: string, code: CodeNow): CurrentPlace | null {
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

function find(one: EarlierFinding, path: string, code: CodeNow): CurrentPlace | null {
  const stream = code.stream(path, one.finding.side);
  const found = stream === null ? null : relocateCode(one.shape, stream, one.finding.startLine);
  return found === null ? null : { ...found, path };
}

function findElsewhere(one: EarlierFinding, path: string | null, code: CodeNow): CurrentPlace | null {
  let best: CurrentPlace | null = null;
  for (const other of code.paths) {
    const least = path === null ? TELLING_WHEN_GONE : TELLING_ELSEWHERE;
    const found = other === path ? null : findThere(one, other, code, least);
    if (found !== null && (best === null || found.agreement > best.agreement)) best = found;
  }
  return best;
}

function findThere(one: EarlierFinding, path: string, code: CodeNow, least: number): CurrentPlace | null {
  const hunks = code.hunks(path, one.finding.side);
  // Most files do not even contain the words.
  if (hunks === null || !one.shape.at.every((token) => hunks.vocabulary.has(token))) return null;
  const found = relocateCode(one.shape, hunks.stream, one.finding.startLine);
  const isDistinctive = found?.as === "same" && one.shape.at.length + found.agreement >= least;
  return found !== null && isDistinctive ? { ...found, path } : null;
}
