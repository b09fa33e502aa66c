import type { Review } from "../review.ts";

/** What a review without findings comes to, as every output words it: `head` is what a reader should take away. */
interface QuietVerdict {
  readonly head: string;
  /** Goes on with `head`, with what parts the two; ends without a full stop. */
  readonly rest: string;
}

/**
 * Says who read what: silence of rules alone is not "No findings", and what could not be read is not "nothing".
 *
 * @param review whose findings are all held back, or that has none
 */
export function quietVerdict(review: Review): QuietVerdict {
  const { reviewed, leftOut, coverage, heldBack } = review;
  if (unreadDiff(review) !== null) return { head: "Nothing was reviewed", rest: ": the diff could not be read" };
  if (reviewed.length === 0) {
    const changed =
      leftOut.length === 0 ? "no file was changed" : `${files(leftOut.length, "changed file")}, all left out`;
    return { head: "Nothing to review", rest: `: ${changed}` };
  }
  const unread = coverage?.files.filter(({ state }) => state === "partial" || state === "not-read") ?? [];
  const isRead = coverage?.files.some(({ state }) => state !== "not-read") === true;
  const held = heldBack.length === 0 ? "" : `; ${heldBack.length} held back`;
  const where = ` in ${files(reviewed.length, "file")}`;
  if (isRead) {
    const by = unread.length === 0 ? "" : " in what was read and by rules";
    return { head: "No findings", rest: `${by}${where}${held}` };
  }
  const them = reviewed.length === 1 ? "it" : "them";
  return { head: held === "" ? "No rule fired" : "Nothing to post", rest: `${where}; no model read ${them}${held}` };
}

/** Why nothing of a diff could be read; null where something was, or where there was nothing to read. */
export function unreadDiff({ reviewed, degraded }: Pick<Review, "reviewed" | "degraded">): string | null {
  return reviewed.length > 0 ? null : (degraded.find(({ part }) => part === "diff")?.reason ?? null);
}

function files(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}
