// Part of a hunk, as a hunk.
import type { DiffLine, Hunk } from "../domain/pull-request.ts";

/** Some consecutive lines of a hunk, with starts that fit them; section and lengths stay the hunk's. */
export function pieceOfHunk(hunk: Hunk, lines: readonly DiffLine[]): Hunk {
  const first = (side: "oldLine" | "newLine", start: number) =>
    lines.find((line) => line[side] !== null)?.[side] ?? start;
  return { ...hunk, lines, oldStart: first("oldLine", hunk.oldStart), newStart: first("newLine", hunk.newStart) };
}
