// Changed code that is much like code somebody spoke about: told with its link and outcome, never as an accusation.
import type { SeenBefore } from "../domain/retrieval.ts";
import type { Review } from "../domain/review.ts";
import { fitList } from "./fit-list.ts";
import { safeUrl } from "./permalink.ts";
import { codeSpan, sanitizeInline } from "./sanitize.ts";

/** One line a precedent; nothing when there is none. `room` in UTF-16 units. */
export function seenBeforeLines({ memory, repo }: Review, room: number): readonly string[] {
  return memory.seenBefore.length === 0
    ? []
    : ["**Seen before here:**", "", ...fitList(memory.seenBefore, (seen) => line(seen, repo), room, 5)];
}

function line({ path, url, outcome, decided, date, similarity }: SeenBefore, repo: Review["repo"]): string {
  const link = url === null ? null : safeUrl(repo, url);
  const when = date === "" ? "" : ` on ${sanitizeInline(date, 10)}`;
  const what =
    outcome === "unknown" || outcome === "posted" ? "was commented on" : `was commented on (${how(outcome, decided)})`;
  const where = link === null ? what : `[${what}](${link})`;
  // What is not linked is shown: where it was said is half of what it says.
  const elsewhere = link === null && url !== null && url !== "" ? ` at ${codeSpan(url, 120)}` : "";
  return `- ${codeSpan(path, 120)}: code like this ${where}${elsewhere}${when}, ${Math.round(similarity * 100)} % alike`;
}

/** What became of it, with the reason where one was given. */
function how(outcome: SeenBefore["outcome"], decided: string | undefined): string {
  return decided === undefined ? outcome : sanitizeInline(`${outcome} ${decided}`, 240);
}
