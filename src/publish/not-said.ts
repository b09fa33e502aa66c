// Everything that was not reviewed, not said or not done as it should be, each with its reason. What weakens the review
// stands open; what merely explains it is folded.
import type { ConfigProblem } from "../config/repo-config.ts";
import type { LeftOut } from "../domain/outcome.ts";
import type { Review } from "../domain/review.ts";
import { placeOf } from "./below.ts";
import { counted, fitList } from "./fit-list.ts";
import { findingTitle } from "./render-comment.ts";
import { codeSpan, sanitizeInline } from "./sanitize.ts";

const PATHS_A_REASON = 20;

/** What worked less well than it should; never folded. `room` in UTF-16 units. */
export function degradedLines(review: Review, room: number): readonly string[] {
  const items = review.degraded.map(({ part, reason }) => `- ${codeSpan(part, 60)}: ${sanitizeInline(reason, 200)}`);
  return items.length === 0 ? [] : ["**Incomplete:**", "", ...fitList(items, room, 50)];
}

/** What is wrong with the configuration, and where; never folded. */
export function configLines(review: Review, room: number): readonly string[] {
  const items = review.configProblems.map((problem) => `- ${configPlace(problem)}: ${configMessage(problem)}`);
  const changes = review.configChanges
    ? ["This pull request changes `.kodiai.yml`; the change takes effect after the merge.", ""]
    : [];
  return items.length === 0 ? changes : [...changes, "**Configuration:**", "", ...fitList(items, room, 50)];
}

/** Findings that are not said, folded. */
export function heldBackLines(review: Review, room: number): readonly string[] {
  const items = review.heldBack.map(
    (held) => `- ${findingTitle(held.finding)} ${placeOf(review, held)} — ${sanitizeInline(held.reason, 200)}`,
  );
  return folded(`${counted(items.length, "finding")} held back`, items, room, "finding");
}

/** Files that are not reviewed, grouped by reason, folded. */
export function leftOutLines(review: Review, room: number): readonly string[] {
  const byReason = new Map<string, LeftOut[]>();
  for (const file of review.leftOut) byReason.set(file.reason, [...(byReason.get(file.reason) ?? []), file]);
  const items = [...byReason].map(([reason, files]) => {
    const paths = files.slice(0, PATHS_A_REASON).map(({ path }) => codeSpan(path, 120));
    const rest = files.length - paths.length;
    const more = rest > 0 ? ` and ${rest} more` : "";
    return `- ${sanitizeInline(reason, 120) || "(no reason)"} (${files.length}): ${paths.join(", ")}${more}`;
  });
  return folded(`${counted(review.leftOut.length, "file")} not reviewed`, items, room, "reason");
}

function folded(title: string, items: readonly string[], room: number, noun: string): readonly string[] {
  if (items.length === 0) return [];
  const shown = fitList(items, room, 200, (count) => `- and ${counted(count, `more ${noun}`)}`);
  return [`<details><summary>${title}</summary>`, "", ...shown, "", "</details>"];
}

function configPlace({ file, line, column }: ConfigProblem): string {
  if (line === null) return codeSpan(file, 120);
  return codeSpan(column === null ? `${file}:${line}` : `${file}:${line}:${column}`, 120);
}

function configMessage({ severity, message }: ConfigProblem): string {
  return `${severity}: ${sanitizeInline(message, 250)}`;
}
