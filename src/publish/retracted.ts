// What takes the place of a summary whose review was taken back.
import { SUMMARY_MARKER } from "../domain/review/marker.ts";
import { codeSpan } from "./sanitize.ts";

/** UTF-16 units: the notice and what stays of the summary stay below GitHub's 65,536. */
const MOST = 64_000;

/**
 * @param body the summary as it stands, ours
 * @param headSha the head whose review was taken back
 * @param hidden how many comments were folded away
 * @returns the new body: the notice alone where the summary told that review, else the notice above it; null when the
 *   notice stands there already
 */
export function retracted(body: string, headSha: string, hidden: number): string | null {
  const head = codeSpan(headSha.slice(0, 7));
  const notice = `**Retracted**: the review of ${head} was taken back.`;
  if (body.includes(notice)) return null;
  const what =
    hidden === 0 ? "It had no comments" : hidden === 1 ? "Its comment is hidden" : `Its ${hidden} comments are hidden`;
  const said = `${notice} ${what}; please disregard what it said.`;
  // The footer names the head that a summary is about.
  const isAbout = body.includes(`Reviewed ${head}`) || body.includes(`Reviewed [${head}]`);
  const whole = isAbout ? `${said}\n\n${SUMMARY_MARKER}` : `${said}\n\n${body}`;
  return whole.length > MOST ? `${said}\n\n${SUMMARY_MARKER}` : whole;
}
