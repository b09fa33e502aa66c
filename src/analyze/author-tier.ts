// How well the author knows the repository, according to GitHub. A hint for retrieval and tone, never a permission.
import type { Author, AuthorFacts } from "../domain/pull-request.ts";
import type { AuthorAssessment, AuthorTier } from "../domain/signals.ts";

const CORE = new Set(["OWNER", "MEMBER"]);
const NEWCOMER = new Set(["FIRST_TIMER", "FIRST_TIME_CONTRIBUTOR"]);
const KNOWN = new Set(["COLLABORATOR", "CONTRIBUTOR"]);

/** An author with this many merged pull requests is regular, or core. */
const REGULAR_FROM = 2;
const CORE_FROM = 10;

/**
 * The author's tier. A decisive association comes first; then merged pull requests, if known, because CONTRIBUTOR
 * covers one merged typo and a hundred features alike; then the rest of the association.
 *
 * @param author `association` in any case; an empty or unknown one counts as none
 * @param facts `mergedPullRequests` null when unknown
 */
export function assessAuthor(author: Pick<Author, "association">, facts: AuthorFacts): AuthorAssessment {
  const association = author.association.toUpperCase();
  const because = `association ${association === "" ? "unknown" : association}`;
  if (CORE.has(association)) return { tier: "core", because };
  if (NEWCOMER.has(association)) return { tier: "first-time", because };
  const merged = facts.mergedPullRequests;
  if (merged !== null)
    return { tier: tierOfCount(merged), because: `${merged} merged pull request${merged === 1 ? "" : "s"}` };
  return { tier: KNOWN.has(association) ? "regular" : "first-time", because };
}

function tierOfCount(merged: number): AuthorTier {
  if (merged >= CORE_FROM) return "core";
  return merged >= REGULAR_FROM ? "regular" : "first-time";
}
