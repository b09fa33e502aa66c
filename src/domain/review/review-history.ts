// What earlier reviews of a pull request left behind: what was said, and the head from which a push can be told apart.
import type { CodeShape } from "../code/code-fingerprint.ts";
import type { Finding, HeldBack } from "../finding.ts";

/** A finding that was said on this pull request. */
export interface Said {
  /** As it was said, at its newest known place. */
  readonly finding: Finding;
  /** Where it was said: as a comment on lines or on a file, or in the summary only. */
  readonly place: "inline" | "file" | "summary";
  /** The code it is about. */
  readonly shape: CodeShape;
  /** Of the comment, where one is known to stand. */
  readonly url: string | null;
  /** Read back from its comment alone: category, severity and body are not known. */
  readonly recovered?: true;
}

/** Lines of the head, 1-based, inclusive. A removal is between its neighbours, and counts as both. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** How much of the pull request this review has to read, and why. */
export type Checkpoint =
  | {
      readonly kind: "full";
      /** Null for a first review, and where no model reads. */
      readonly reason: string | null;
    }
  | {
      readonly kind: "delta";
      /** The head of the review before. */
      readonly since: string;
      /** What changed between the two heads, by head path; `whole` where the lines are not known. */
      readonly touched: ReadonlyMap<string, readonly LineRange[] | "whole">;
      /** Head path → path at `since`, where the two differ. */
      readonly renamed: ReadonlyMap<string, string>;
      /** Head paths that a model read wholly before, as they are called now. */
      readonly read: ReadonlySet<string>;
      /** What the review before did not say. */
      readonly heldBack: readonly HeldBack[];
      /** What the pull request does, as it was told when more of it was read. */
      readonly walkthrough: string | null;
    };

export interface Past {
  readonly checkpoint: Checkpoint;
  /** Everything that was said, oldest first. */
  readonly said: readonly Said[];
}

/** The past of a pull request that nobody reviewed. */
export const NO_PAST: Past = { checkpoint: { kind: "full", reason: null }, said: [] };
