// How well the author knows the repository, from what GitHub says. A hint for retrieval and tone, never a permission.
import type { Author, AuthorFacts } from "../domain/pull-request.ts";
import type { AuthorStanding, AuthorTier } from "../domain/signals.ts";

const CORE = new Set(["OWNER", "MEMBER"]);
const NEWCOMER = new Set(["FIRST_TIMER", "FIRST_TIME_CONTRIBUTOR"]);
const KNOWN = new Set(["COLLABORATOR", "CONTRIBUTOR"]);

/** From this many merged pull requests on an author is regular, respectively core. */
const REGULAR_FROM = 2;
const CORE_FROM = 10;

/**
 * The author's tier. An association that settles it speaks first; then merged pull requests, where they are known,
 * because CONTRIBUTOR covers one merged typo and a hundred features alike; then what is left of the association.
 *
 * @param author `association` in any case; an empty or unknown one counts as none
 * @param facts `mergedPullRequests` null when it could not be learned
 */
export function authorStanding(author: Pick<Author, "association">, facts: AuthorFacts): AuthorStanding {
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
