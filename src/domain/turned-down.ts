// Whether somebody said no to a comment. Words of a reply are a hint, good enough to count with and never to act on.
import type { Outcome } from "./memory.ts";

/** What people write when they will not do what a reviewer asked. */
const NO =
  /\b(?:won[’']?t (?:fix|do|change)|wontfix|by design|intentional(?:ly)?|on purpose|false positive|not an? (?:issue|bug|problem)|out of scope|(?:i|we) disagree|don[’']?t agree|(?:leave|keep) (?:it|this|that) as(?: it)? is|not (?:needed|necessary|required)|no need|rather not|prefer (?:not|to (?:keep|leave)))\b/i;

/** Characters of a reply that are read: whoever says no says so early. */
const READ = 2_000;

/** True for a declined memory, and for one whose outcome nobody decided and to which a reply says no. */
export function turnedDown({
  outcome,
  replies,
}: {
  readonly outcome: Outcome | null;
  readonly replies: readonly string[];
}): boolean {
  if (outcome !== null && outcome !== "posted") return outcome === "declined";
  return replies.some((reply) => NO.test(reply.slice(0, READ)));
}
