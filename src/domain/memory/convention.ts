// What people of a repository keep asking for, and the rule that could be made of it. Always a proposal: nobody applies it.
import type { RepoConfig } from "../../config/repo-config.ts";

/** Remarks of several pull requests that say much the same. */
export interface RecurringRemark {
  /** One line of at most 400 characters: the most central remark, or the lesson that a model wrote of one. */
  readonly name: string;
  readonly namedBy: "remark" | "lesson";
  /** Of the memories, the most central first. */
  readonly ids: readonly string[];
  /** Distinct pull requests. */
  readonly pulls: number;
  /** Of the first, epoch milliseconds. */
  readonly since: number;
  /** How many were accepted or fixed; of the others it may not be known. */
  readonly accepted: number;
  readonly declined: number;
  /** Where at least four fifths were said: `src/api/**` + `/*.ts`; `**` where they share nothing. */
  readonly path: string;
  /** What at least four fifths are about; null where they differ. */
  readonly language: string | null;
  /** The newest three, of different pull requests. */
  readonly examples: readonly { readonly pull: number; readonly at: number; readonly url: string | null }[];
}

/** A recurring remark with an entry of `pathInstructions` that our own configuration reads as it is. */
export interface Convention extends RecurringRemark {
  /** `asked 7 times on 6 pull requests since 2026-03-02, accepted 6` */
  readonly told: string;
  readonly instruction: RepoConfig["pathInstructions"][number];
}

/** What recurs in a repository, and what does not count. */
export interface Conventions {
  /** On most pull requests first; at most 20. */
  readonly proposed: readonly Convention[];
  /** For `.kodiai.yml`: all of `proposed`, the facts of each in a comment; null without any. */
  readonly yaml: string | null;
  /** How many memories were looked at. */
  readonly remarks: number;
  /** Memories that do not count, by reason, and recurring remarks that are not proposed, by name. */
  readonly leftOut: readonly { readonly reason: string; readonly count: number; readonly name: string | null }[];
}
