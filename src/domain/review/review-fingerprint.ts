// Identifies what determines a review's judgement: two reviews with the same fingerprint may build on each other.
import { createHash } from "node:crypto";
import type { RepoConfig } from "../../config/repo-config.ts";

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
  return shortHash(canonical({ ...rest, review: judging, rulesVersion: rules, models, prompt }));
}

/** The first 12 hex digits of SHA-256. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

/** JSON with sorted object keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}
