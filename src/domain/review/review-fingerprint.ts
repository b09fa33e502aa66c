// Identifies what determines a review's judgement: two reviews with the same fingerprint may build on each other.

import type { RepoConfig } from "../../config/repo-config.ts";
import { canonicalJson, shortHash } from "../text/hash.ts";

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
 * 12 hex digits of SHA-256 over canonical JSON. Budgets, the search in memory and the prompt for agents are left out:
 * they change what a review covers or shows, not how it judges.
 */
export function reviewFingerprint({ config, rules, models, prompt }: ReviewBasis): string {
  const { knowledge: _, review, ...rest } = config;
  const { budget: __, agentPrompt: ___, ...judging } = review;
  return shortHash(canonicalJson({ ...rest, review: judging, rulesVersion: rules, models, prompt }));
}

// Title and description at the time when a person requested a review: that person has read them, and did not ask for
// text that is added later.

/**
 * @param body null for a pull request without a description
 * @returns 16 hexadecimal digits, the same for the same words
 */
export function titleFingerprint(title: string, body: string | null): string {
  return shortHash(JSON.stringify([title, body ?? ""]), 16);
}
