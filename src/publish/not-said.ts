// Everything that was not reviewed, not said or not done as it should be, each with its reason. What weakens the review
// stands open; what merely explains it is folded.

import type { ConfigProblem } from "../config/repo-config.ts";
import type { HeldBack } from "../domain/finding.ts";
import type { Degraded } from "../domain/omissions.ts";
import type { Review } from "../domain/review.ts";
import { publicWords } from "../domain/text/public-error-text.ts";
import { placeOf } from "./below.ts";
import { counted, fitList } from "./fit-list.ts";
import { safeUrl } from "./permalink.ts";
import { findingTitle } from "./render-comment.ts";
import { codeSpan, sanitizeInline } from "./sanitize.ts";

const PATHS_A_REASON = 20;

/** What worked less well than it should; never folded. `room` in UTF-16 units. */
export function degradedLines({ degraded }: Review, room: number): readonly string[] {
  const write = ({ part, reason }: Degraded) => `- ${codeSpan(part, 60)}: ${sanitizeInline(publicWords(reason), 200)}`;
  return degraded.length === 0 ? [] : ["**Incomplete:**", "", ...fitList(degraded, write, room, 50)];
}

/** What is wrong with the configuration, and where; never folded. */
export function configLines(
  { configProblems, configChanges, proposedProblems }: Review,
  room: number,
): readonly string[] {
  const write = (problem: ConfigProblem) =>
    `- ${configPlace(problem)}: ${problem.severity}: ${sanitizeInline(problem.message, 250)}`;
  const changes = configChanges
    ? ["This pull request changes `.kodiai.yml`; the change takes effect after the merge.", ""]
    : [];
  const proposed = proposedProblems ?? [];
  return [
    ...changes,
    ...(proposed.length === 0
      ? []
      : ["**As this pull request leaves it:**", "", ...fitList(proposed, write, room / 2, 50), ""]),
    ...(configProblems.length === 0
      ? []
      : ["**Configuration:**", "", ...fitList(configProblems, write, proposed.length === 0 ? room : room / 2, 50)]),
  ];
}

/** Findings that are not said, folded. */
export function heldBackLines(review: Review, room: number): readonly string[] {
  const write = (held: HeldBack) =>
    `- ${findingTitle(held.finding)} ${placeOf(review, held)} — ${sanitizeInline(held.reason, 300)}${because(review, held)}`;
  const shown = fitList(review.heldBack, write, room, 200, moreOf("finding"));
  return folded(`${counted(review.heldBack.length, "finding")} held back`, shown);
}

/** Where that was said, and how to hear it again. */
function because({ repo }: Review, { precedent }: HeldBack): string {
  if (precedent === undefined) return "";
  const address = precedent.url === null ? null : safeUrl(repo, precedent.url);
  const link = address === null ? "" : ` ([said there](${address}))`;
  const restore =
    precedent.outcome === "declined" ? `; to hear it again: ${codeSpan(`/kodiai restore ${precedent.id}`, 60)}` : "";
  return `${link}${restore}`;
}

/** Files that are not reviewed, grouped by reason, folded. */
export function leftOutLines({ leftOut }: Review, room: number): readonly string[] {
  const byReason = new Map<string, string[]>();
  for (const { path, reason } of leftOut) {
    const paths = byReason.get(reason);
    if (paths === undefined) byReason.set(reason, [path]);
    else paths.push(path);
  }
  const shown = fitList([...byReason], leftOutLine, room, 200, moreOf("reason"));
  return folded(`${counted(leftOut.length, "file")} not reviewed`, shown);
}

function leftOutLine([reason, paths]: readonly [string, readonly string[]]): string {
  const shown = paths.slice(0, PATHS_A_REASON).map((path) => codeSpan(path, 120));
  const rest = paths.length - shown.length;
  const more = rest > 0 ? ` and ${rest} more` : "";
  return `- ${sanitizeInline(reason, 120) || "(no reason)"} (${paths.length}): ${shown.join(", ")}${more}`;
}

function moreOf(noun: string): (count: number) => string {
  return (count) => `- and ${counted(count, `more ${noun}`)}`;
}

function folded(title: string, shown: readonly string[]): readonly string[] {
  return shown.length === 0 ? [] : [`<details><summary>${title}</summary>`, "", ...shown, "", "</details>"];
}

function configPlace({ file, line, column }: ConfigProblem): string {
  if (line === null) return codeSpan(file, 120);
  return codeSpan(column === null ? `${file}:${line}` : `${file}:${line}:${column}`, 120);
}
