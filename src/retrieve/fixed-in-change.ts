// Which memories speak about code that a change has in its fixed form: what they warn of is not there.
import type { MemoryRecord } from "../domain/memory.ts";
import type { FileDiff, Hunk } from "../domain/pull-request.ts";
import { fixedAlready, hunkTokens } from "./contrast.ts";

/** Why such a memory is left out. */
export const NEARER_TO_FIX = "the code is nearer to its fix";

/** Hunks that one memory is held against: of its own file, or of other files, as code moves. */
const MOST_HUNKS = 40;

/**
 * @param files of the change
 * @returns whether the change holds the fix that a memory knows, and not what was flagged; false for a memory that does not
 *   know both
 */
export function fixedInChange(
  files: readonly FileDiff[],
): (record: Pick<MemoryRecord, "path" | "flaggedCode" | "fixedCode">) => boolean {
  const known = new Map<Hunk, readonly number[]>();
  const tokensOf = (hunk: Hunk) => {
    const tokens = known.get(hunk) ?? hunkTokens(headSide(hunk));
    known.set(hunk, tokens);
    return tokens;
  };
  return ({ path, flaggedCode, fixedCode }) => {
    if (!flaggedCode || !fixedCode) return false;
    const own = files.filter((file) => file.path === path || file.previousPath === path);
    const hunks = (own.length > 0 ? own : files).flatMap((file) => file.hunks).slice(0, MOST_HUNKS);
    return fixedAlready(hunks.map(tokensOf), { flagged: flaggedCode, fixed: fixedCode });
  };
}

function headSide({ lines }: Hunk): string {
  return lines
    .filter(({ kind }) => kind !== "removed")
    .map(({ text }) => text)
    .join("\n");
}
