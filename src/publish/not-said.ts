// What was not reviewed, not posted or degraded, each with its reason: folded under its count.
// Problems of the configuration are not folded: a maintainer has to fix them. Each `maxLength` is
// in UTF-16 units.

import type { ConfigProblem } from "../config/repo-config.ts";
import type { HeldBack } from "../domain/finding.ts";
import type { Degraded } from "../domain/omissions.ts";
import { type FileCoverage, isUnread, type Review } from "../domain/review.ts";
import { counted, listed } from "../domain/text/counted.ts";
import { publicErrorText } from "../domain/text/public-error-text.ts";
import { fitList, folded } from "./fit-list.ts";
import { linkTo, placeOf } from "./permalink.ts";
import { findingTitle } from "./render-comment.ts";
import { codeSpan, sanitizeInline } from "./sanitize.ts";

const PATHS_A_REASON = 20;
/** UTF-16 units: a server's sentence, and what to do about it. */
const REASON_CHARS = 600;

/** The degraded parts, folded. */
export function degradedLines({ degraded }: Review, maxLength: number): readonly string[] {
  const write = ({ part, reason }: Degraded) =>
    `- ${codeSpan(part, 60)}: ${sanitizeInline(publicErrorText(reason, REASON_CHARS), REASON_CHARS)}`;
  return folded(`Incomplete, ${counted(degraded.length, "reason")}`, fitList(degraded, write, maxLength, 50));
}

/** What is wrong with the configuration, and where; never folded. */
export function configLines(
  { configProblems, configChanges, proposedProblems: proposed }: Review,
  maxLength: number,
): readonly string[] {
  const write = (problem: ConfigProblem) =>
    `- ${configPlace(problem)}: ${problem.severity}: ${sanitizeInline(problem.message, 250)}`;
  const changes = configChanges
    ? ["This pull request changes `.kodiai.yml`; the change takes effect after the merge.", ""]
    : [];
  const each = proposed.length === 0 ? maxLength : maxLength / 2;
  const section = (file: string, problems: readonly ConfigProblem[]) =>
    problems.length === 0 ? [] : [`**Problems in ${file}:**`, "", ...fitList(problems, write, each, 50), ""];
  return [...changes, ...section("the proposed `.kodiai.yml`", proposed), ...section("`.kodiai.yml`", configProblems)];
}

/** Findings that were held back, folded. */
export function heldBackLines(review: Review, maxLength: number): readonly string[] {
  return heldLines(review, review.heldBack, "held back", maxLength);
}

/** Reported findings that the author asks to ignore, folded. */
export function askedLines(review: Review, maxLength: number): readonly string[] {
  return heldLines(review, review.asked, "asked to ignore, by people without write access", maxLength);
}

function heldLines(review: Review, all: readonly HeldBack[], what: string, maxLength: number): readonly string[] {
  const write = (held: HeldBack) =>
    `- ${findingTitle(held.finding)} ${placeOf(review, held.finding)} — ${sanitizeInline(held.reason, 300)}${because(review, held)}`;
  return folded(`${counted(all.length, "finding")} ${what}`, fitList(all, write, maxLength, 200, moreOf("finding")));
}

/** A link to the original comment, and how to undo its effect. */
function because({ repo, answersCommands }: Review, { precedent }: HeldBack): string {
  if (precedent === undefined) return "";
  const original = linkTo(repo, "original comment", precedent.url);
  const restore =
    precedent.outcome === "declined" && answersCommands
      ? `; to re-enable: ${codeSpan(`/kodiai restore ${precedent.id}`, 60)}`
      : "";
  return `${original === null ? "" : ` (${original})`}${restore}`;
}

/** Files that are not reviewed, or those that only rules read: grouped by reason, folded. */
export function leftOutLines({ leftOut }: Review, isSpared: boolean, maxLength: number): readonly string[] {
  const files = leftOut.filter((file) => (file.isSpared === true) === isSpared);
  const title = `${counted(files.length, "file")} ${isSpared ? "read by rules only" : "not reviewed"}`;
  const byReason = Map.groupBy(files, ({ reason }) => reason);
  return folded(title, fitList([...byReason], leftOutLine, maxLength, 200, moreOf("reason")));
}

function leftOutLine([reason, files]: readonly [string, Review["leftOut"]]): string {
  const shown = listed(files, PATHS_A_REASON, ({ path }) => codeSpan(path, 120));
  return `- ${sanitizeInline(reason, 120) || "(no reason)"} (${files.length}): ${shown}`;
}

function moreOf(noun: string): (count: number) => string {
  return (count) => `- and ${counted(count, `more ${noun}`)}`;
}

function configPlace({ file, line, column }: ConfigProblem): string {
  if (line === null) return codeSpan(file, 120);
  return codeSpan(column === null ? `${file}:${line}` : `${file}:${line}:${column}`, 120);
}

// What the model did not read: no findings in an unread file do not mean that it is fine.

/** The names of the prompt's parts for people. */
const PARTS: Readonly<Record<string, string>> = {
  title: "the title",
  signals: "the list of risks",
  "path-instructions": "the instructions for paths",
  "rule-findings": "the list of rule findings",
  description: "the description",
  files: "the list of files",
  guidance: "the repository's guidance",
  commits: "the commit messages",
};

/** Files read in part or not at all, folded; and texts that were shortened for the model. */
export function unreadLines({ coverage }: Review, maxLength: number): readonly string[] {
  if (coverage === null) return [];
  const unread = coverage.files.filter(isUnread);
  const shortened = coverage.cut.map(
    ({ part, shown, of }) => `${PARTS[part] ?? "a part"} (${shown} of ${of} characters)`,
  );
  const hidden = (coverage.hidden ?? []).map(({ part, chars }) => `${chars} characters of ${PARTS[part] ?? "a part"}`);
  const note = [
    ...(shortened.length === 0 ? [] : [`The model saw only the beginning of ${shortened.join(", ")}.`]),
    ...(hidden.length === 0 ? [] : [`Hidden text was kept from the model: ${hidden.join(", ")}.`]),
  ].map((sentence) => `<sub>${sentence}</sub>`);
  const shown = fitList(unread, unreadLine, maxLength, 100, moreOf("file"));
  const title = `${counted(unread.length, "file")} not read, or not wholly, by the model`;
  return [...folded(title, shown), ...(unread.length === 0 || note.length === 0 ? [] : [""]), ...note];
}

function unreadLine({ path, state, reason }: FileCoverage): string {
  const how = state === "partial" ? "in part" : "not read";
  return `- ${codeSpan(path, 120)}: ${how}${reason === null ? "" : `, ${sanitizeInline(publicErrorText(reason, REASON_CHARS), REASON_CHARS)}`}`;
}
