// Recurring review comments of a repository, and the rule that could be made of them. Always a proposal: Kodiai never
// applies it.
import type { RepoConfig } from "../../config/repo-config.ts";

/** Comments of several pull requests with much the same content. */
export interface RecurringComment {
  /** One line of at most 400 characters: the most central comment, or the lesson that a model wrote of one. */
  readonly name: string;
  readonly namedBy: "remark" | "lesson";
  /** Memory ids, the most central first. */
  readonly ids: readonly string[];
  /** Distinct pull requests. */
  readonly pulls: number;
  /** Of the first comment, epoch milliseconds. */
  readonly since: number;
  /** How many were accepted or fixed; for the others it may be unknown. */
  readonly accepted: number;
  readonly declined: number;
  /** The paths of at least four fifths: `src/api/**` + `/*.ts`; `**` when they share nothing. */
  readonly path: string;
  /** The language of at least four fifths; null when they differ. */
  readonly language: string | null;
  /** The newest three, from different pull requests. */
  readonly examples: readonly { readonly pull: number; readonly at: number; readonly url: string | null }[];
}

/** A recurring comment with an entry of `pathInstructions` that Kodiai's configuration accepts as it is. */
export interface Convention extends RecurringComment {
  /** `asked 7 times on 6 pull requests since 2026-03-02, accepted 6` */
  readonly summary: string;
  readonly instruction: RepoConfig["pathInstructions"][number];
}

/** Recurring comments of a repository, and those that do not count. */
export interface Conventions {
  /** Most pull requests first; at most 20. */
  readonly proposed: readonly Convention[];
  /** For `.kodiai.yml`: all of `proposed`, the facts of each in a comment; null without any. */
  readonly yaml: string | null;
  /** How many memories were examined. */
  readonly remarks: number;
  /** Memories that do not count, by reason, and recurring comments that are not proposed, by name. */
  readonly leftOut: readonly { readonly reason: string; readonly count: number; readonly name: string | null }[];
}
