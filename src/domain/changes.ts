// The changes of a pull request as their source gives them, before they are parsed.
import type { Degraded, LeftOut } from "./omissions.ts";
import type { FileStatus } from "./pull-request.ts";

/** A changed file of a listing: its hunks, and the counts that they should have. */
export interface ListedFile {
  readonly path: string;
  readonly previousPath: string | null;
  readonly status: FileStatus;
  readonly additions: number;
  readonly deletions: number;
  /**
   * Hunks only (`@@ …`), or null where the source gives none (binary, too large, nothing changed).
   */
  readonly patch: string | null;
  /**
   * Git's mode at the head, if the source knows it: `120000` (symbolic link), `160000` (submodule).
   */
  readonly newMode?: string | null;
  /**
   * True when GitHub shows no patch and this one was computed from both texts: GitHub accepts no
   * comment on its lines.
   */
  readonly isRebuilt?: boolean;
}

/** The change: GitHub's listing of files, or a whole unified diff from git. */
export type Changes =
  | {
      readonly kind: "listing";
      readonly files: readonly ListedFile[];
      readonly total: number;
      readonly degraded?: readonly Degraded[];
    }
  | {
      readonly kind: "unified";
      readonly text: string;
      readonly leftOut?: readonly LeftOut[];
    };

/**
 * Changes from one head of a pull request to the next; or why they are unknown, or would not help.
 */
export type ChangesSince =
  | { readonly kind: "since"; readonly changes: Changes }
  | { readonly kind: "unknown"; readonly reason: string };
