// What became of a comment, from what people answered and what GitHub tells about its line. Whoever may not write to the
// repository decides nothing, and what is not known stays null.
import type { PastThread } from "../domain/history.ts";
import type { Outcome } from "../domain/memory.ts";
import { readVerdict } from "./read-verdict.ts";

/**
 * The outcome of a thread. The last word of somebody who may write counts: people change their minds. Without one, a
 * thread that was resolved after its line changed counts as fixed, and a line that changed as outdated. Reactions come as
 * numbers without names, and anybody may give one: they decide nothing.
 *
 * @param mayDecide whether an account may write to the repository, by its id
 */
export function inferOutcome(
  { root, replies, isResolved }: PastThread,
  mayDecide: (accountId: number) => boolean,
): Outcome | null {
  const decisive = replies.filter(({ author }) => !author.isBot && mayDecide(author.id)).toReversed();
  for (const { body } of decisive) {
    const verdict = readVerdict(body);
    if (verdict !== null) return verdict;
  }
  if (root.isOutdated !== true) return null;
  return isResolved === true ? "fixed" : "outdated";
}
