import { isUnread, type Review } from "../review.ts";
import { counted } from "../text/counted.ts";

/**
 * The verdict of a review without findings, as every output words it. Names who read what: silent rules alone are not
 * "No findings", and an unreadable diff is not "nothing".
 *
 * @param review all of its findings are held back, or it has none
 * @returns `head` is the main point; `rest` continues it, separator included, without a full stop
 */
export function quietVerdict(review: Review) {
  const { reviewed, leftOut, coverage, heldBack } = review;
  if (unreadDiff(review) !== null) return { head: "Nothing was reviewed", rest: ": the diff could not be read" };
  if (reviewed.length === 0) {
    const changed =
      leftOut.length === 0 ? "no file was changed" : `${counted(leftOut.length, "changed file")}, all left out`;
    return { head: "Nothing to review", rest: `: ${changed}` };
  }
  const isWhole = coverage?.files.some(isUnread) !== true;
  const isRead = coverage?.files.some(({ state }) => state !== "not-read") === true;
  const held = heldBack.length === 0 ? "" : `; ${heldBack.length} held back`;
  const where = ` in ${counted(reviewed.length, "file")}`;
  if (isRead) {
    const by = isWhole ? "" : " in what was read and by rules";
    return { head: "No findings", rest: `${by}${where}${held}` };
  }
  const them = reviewed.length === 1 ? "it" : "them";
  return { head: held === "" ? "No rule fired" : "Nothing to post", rest: `${where}; no model read ${them}${held}` };
}

/** Why nothing of a diff could be read; null when something was read, or there was nothing to read. */
export function unreadDiff({ reviewed, degraded }: Pick<Review, "reviewed" | "degraded">): string | null {
  return reviewed.length > 0 ? null : (degraded.find(({ part }) => part === "diff")?.reason ?? null);
}
