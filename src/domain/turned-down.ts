// Whether somebody said no to a comment. Words of a reply are a hint, good enough to count with and never to act on.
import type { Outcome } from "./memory.ts";
import { readReply } from "./read-reply.ts";

/** True for a declined memory, and for one whose outcome nobody decided and to which a reply says no. */
export function turnedDown({
  outcome,
  replies,
}: {
  readonly outcome: Outcome | null;
  readonly replies: readonly string[];
}): boolean {
  if (outcome !== null && outcome !== "posted") return outcome === "declined";
  return replies
    .map((reply) => readReply(reply).stance)
    .some((stance) => stance === "declines" || stance === "rejects");
}
