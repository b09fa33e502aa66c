// The same change a day later: everything is some lines further down. Findings must not be posted
// again.
import type { DiffLine, FileDiff } from "../src/domain/pull-request.ts";
import { parseDiff } from "../src/gather/parse-diff.ts";
import { anchorOf } from "../src/review/placing/locate.ts";
import type { RealPull } from "./pull-requests.ts";

/** Lines inserted at the top of each file, on both sides. */
const MOVED = 7;

export interface SecondPush {
  readonly pull: RealPull;
  /**
   * A model's reply to the first push as it would be to this one: its anchors name the moved lines.
   */
  readonly moved: (reply: string) => string;
}

export function secondPush(pull: RealPull): SecondPush {
  const diff = pull.diff.replace(
    /^@@ -(\d+)((?:,\d+)?) \+(\d+)((?:,\d+)?) @@/gm,
    (header, oldStart: string, oldLines: string, newStart: string, newLines: string) =>
      // A file that is new, or goes away, begins at its beginning.
      oldStart === "0" || newStart === "0"
        ? header
        : `@@ -${Number(oldStart) + MOVED}${oldLines} +${Number(newStart) + MOVED}${newLines} @@`,
  );
  const anchors = new Map<string, string>();
  const moved = parseDiff(diff).files;
  for (const [at, file] of parseDiff(pull.diff).files.entries()) mapAnchors(file, moved[at], anchors);
  return {
    pull: { ...pull, diff },
    moved: (reply) => reply.replace(/-?\d{1,9}#[0-9a-f]{4}/g, (anchor) => anchors.get(anchor) ?? anchor),
  };
}

function mapAnchors(before: FileDiff, after: FileDiff | undefined, anchors: Map<string, string>): void {
  const then = before.hunks.flatMap(({ lines }) => lines);
  const now = after?.hunks.flatMap(({ lines }) => lines) ?? [];
  for (const [at, line] of then.entries()) {
    const twin = now[at];
    if (twin !== undefined) anchors.set(anchorOfLine(before.path, line), anchorOfLine(before.path, twin));
  }
}

function anchorOfLine(path: string, { kind, oldLine, newLine, text }: DiffLine): string {
  const side = kind === "removed" ? "LEFT" : "RIGHT";
  return anchorOf(path, side, (side === "LEFT" ? oldLine : newLine) ?? 0, text);
}
