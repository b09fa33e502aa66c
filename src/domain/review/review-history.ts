// Earlier reviews of a pull request: their findings, and the head from which to compute what a push
// changed.

import type { RepoConfig } from "../../config/repo-config.ts";
import type { CodeShape } from "../code/code-fingerprint.ts";
import type { Finding, HeldBack } from "../finding.ts";
import { canonicalJson, shortHash } from "../text/hash.ts";

/** A finding that was reported on this pull request. */
export interface EarlierFinding {
  /** At its newest known place. */
  readonly finding: Finding;
  /** Where it was posted: as a comment on lines or on a file, or in the summary only. */
  readonly place: "inline" | "file" | "summary";
  /** The code of the finding. */
  readonly shape: CodeShape;
  /** Of the comment, if one is known. */
  readonly url: string | null;
  /** Read back from its comment only: category, severity and body are unknown. */
  readonly recovered: boolean;
}

/** Lines of the head, 1-based, inclusive. A removal counts as both of its neighbours. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** How much of the pull request this review has to read, and why. */
export type Checkpoint =
  | {
      readonly kind: "full";
      /** Null for a first review, and without a model. */
      readonly reason: string | null;
    }
  | {
      readonly kind: "delta";
      /** The head of the previous review. */
      readonly since: string;
      /** What changed between the two heads, by head path; `whole` when the lines are unknown. */
      readonly touched: ReadonlyMap<string, readonly LineRange[] | "whole">;
      /** Head path → path at `since`, where the two differ. */
      readonly renamed: ReadonlyMap<string, string>;
      /** Head paths that a model read wholly before, by their current names. */
      readonly read: ReadonlySet<string>;
      /** Findings that the previous review held back. */
      readonly heldBack: readonly HeldBack[];
      /** The description of the pull request from a review that read more of it. */
      readonly walkthrough: string | null;
    };

export interface Past {
  readonly checkpoint: Checkpoint;
  /** All reported findings, oldest first. */
  readonly said: readonly EarlierFinding[];
}

/** The past of a pull request without reviews. */
export const NO_PAST: Past = { checkpoint: { kind: "full", reason: null }, said: [] };

/** Everything a review depends on besides the pull request and the memory. */
interface ReviewBasis {
  readonly config: RepoConfig;
  /** The version of the rule table. */
  readonly rules: string;
  /** Names of the models; null without one. */
  readonly models: Readonly<Record<string, string>> | null;
  /** The version of the models' instructions. */
  readonly prompt: string;
}

/**
 * 12 hex digits of SHA-256 over canonical JSON. Budgets, the search in memory, the prompt for
 * agents and when a summary is posted are left out: they change what a review covers or shows, not
 * how it judges.
 */
export function reviewFingerprint({ config, rules, models, prompt }: ReviewBasis): string {
  const { knowledge: _, review, ...rest } = config;
  const { budget: __, agentPrompt: ___, summary: ____, ...judging } = review;
  return shortHash(canonicalJson({ ...rest, review: judging, rulesVersion: rules, models, prompt }));
}

/** What a review was of: a head, against a branch, judged by a configuration. */
export interface ReviewedAt {
  readonly headSha: string;
  /** The name of the branch; "" in reviews written before it was kept, which count for any. */
  readonly baseRef: string;
  /** See reviewFingerprint; null where the configuration is not known, which counts as the same. */
  readonly fingerprint: string | null;
}

/**
 * Whether a review says what a review written now would be about. A pull request is done when its
 * latest posted review is of what stands on GitHub now: an older review of the same head does not
 * count, since another one took its place there.
 */
export function isReviewOf(review: ReviewedAt, now: ReviewedAt): boolean {
  return (
    review.headSha === now.headSha &&
    (review.baseRef === "" || review.baseRef === now.baseRef) &&
    (review.fingerprint === null || now.fingerprint === null || review.fingerprint === now.fingerprint)
  );
}

/**
 * Identifies title and description at the time when a person requested a review: that person has
 * read them, and did not ask for text that is added later.
 *
 * @param body null for a pull request without a description
 * @returns 16 hexadecimal digits, the same for the same words
 */
export function titleFingerprint(title: string, body: string | null): string {
  return shortHash(JSON.stringify([title, body ?? ""]), 16);
}
