// The lines of one file's diff, indexed by anchor and by quote.
import type { DiffLine, FileDiff, Side } from "../../domain/pull-request.ts";
import { revealLine } from "../../domain/text/untrusted-text.ts";
import { lineHash } from "./anchor.ts";

/** A line that a quote can match. */
export interface QuotableLine {
  readonly side: Side;
  readonly line: number;
  /** As in the diff. */
  readonly raw: string;
  /** As the model saw it. */
  readonly text: string;
  /** With white space folded: quotes are compared in this form. */
  readonly folded: string;
  readonly hunk: number;
  /** Context lines are on the RIGHT side and unchanged. */
  readonly changed: boolean;
}

export interface DiffLines {
  readonly path: string;
  /** Added and context lines of the head, and removed lines of the base; null when the diff has no such line. */
  at(side: Side, line: number): QuotableLine | null;
  /** True when the line has this hash. */
  proves(side: Side, line: number, hash: string): boolean;
  /** Per hunk and side: consecutive lines, in order. */
  readonly runs: readonly (readonly QuotableLine[])[];
  /**
   * The lines with this text, ignoring trailing white space, or with all white space folded. The index is built on
   * first use.
   */
  starting(text: string, spaces: Spaces): readonly Start[];
}

/** The white space that distinguishes lines. */
export type Spaces = "trimmed" | "folded";

/** A line of a run. */
export interface Start {
  readonly run: readonly QuotableLine[];
  readonly at: number;
}

/** A line's text with the white space that counts. */
export function sameText(text: string, spaces: Spaces): string {
  return spaces === "trimmed" ? text.trimEnd() : text.replace(/\s+/g, " ").trim();
}

/** Indexes a file's diff. Hashes are computed on demand. */
export function diffLines(file: FileDiff): DiffLines {
  const all = file.hunks.flatMap(({ lines }, hunk) => lines.flatMap((line) => quotable(line, hunk)));
  const ofSide = (side: Side) => new Map(all.filter((one) => one.side === side).map((one) => [one.line, one]));
  const byLine = { LEFT: ofSide("LEFT"), RIGHT: ofSide("RIGHT") };
  const runs = [...Map.groupBy(all, ({ hunk, side }) => `${hunk} ${side}`).values()];
  const indexes = new Map<Spaces, ReadonlyMap<string, readonly Start[]>>();
  return {
    path: file.path,
    at: (side, line) => byLine[side].get(line) ?? null,
    proves(side, line, hash) {
      const entry = byLine[side].get(line);
      return entry !== undefined && lineHash(file.path, side, line, entry.raw) === hash;
    },
    runs,
    starting(text, spaces) {
      const index = indexes.get(spaces) ?? startsOf(runs, spaces);
      indexes.set(spaces, index);
      return index.get(sameText(text, spaces)) ?? [];
    },
  };
}

function startsOf(runs: DiffLines["runs"], spaces: Spaces): ReadonlyMap<string, readonly Start[]> {
  const keyed = runs.flatMap((run) =>
    run.map(({ text, folded }, at) => ({ key: spaces === "folded" ? folded : sameText(text, spaces), run, at })),
  );
  return Map.groupBy(keyed, ({ key }) => key);
}

function quotable({ kind, oldLine, newLine, text: raw }: DiffLine, hunk: number): readonly QuotableLine[] {
  const side = kind === "removed" ? "LEFT" : "RIGHT";
  const line = side === "LEFT" ? oldLine : newLine;
  if (line === null) return [];
  const text = revealLine(raw);
  return [{ side, line, raw, text, folded: sameText(text, "folded"), hunk, changed: kind !== "context" }];
}
