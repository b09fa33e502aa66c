// What decides how a review reads: two reviews with one fingerprint may build on each other.
import { createHash } from "node:crypto";
import type { RepoConfig } from "../../config/repo-config.ts";

/** What a review depends on besides the pull request and the memory. */
interface ReviewBasis {
  readonly config: RepoConfig;
  /** The version of the rule table. */
  readonly rules: string;
  /** Names of the models; null when none reads. */
  readonly models: Readonly<Record<string, string>> | null;
  /** The version of what models are told. */
  readonly prompt: string;
}

/**
 * 12 hex digits of SHA-256 over canonical JSON. Budgets, the search in memory and the prompt for agents are left
 * out: they change what a review reaches or shows, not how it judges.
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

/** JSON with the keys of every object in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}
