// What the model did not read, file by file: silence about a file that nobody read is not praise.

import type { FileCoverage, Review } from "../domain/review.ts";
import { publicWords } from "../domain/text/public-error-text.ts";
import { counted, fitList } from "./fit-list.ts";
import { codeSpan, sanitizeInline } from "./sanitize.ts";

/** What a part of the prompt is called for people. */
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

/**
 * Files that were read in part or not at all, folded under their number; and which texts were shortened for the model.
 *
 * @param room UTF-16 units
 */
export function unreadLines({ coverage }: Review, room: number): readonly string[] {
  if (coverage === null) return [];
  const unread = coverage.files.filter(({ state }) => state === "partial" || state === "not-read");
  const shortened = coverage.cut.map(
    ({ part, shown, of }) => `${PARTS[part] ?? "a part"} (${shown} of ${of} characters)`,
  );
  const hidden = (coverage.hidden ?? []).map(({ part, chars }) => `${chars} characters of ${PARTS[part] ?? "a part"}`);
  const note = [
    ...(shortened.length === 0 ? [] : [`The model saw only the beginning of ${shortened.join(", ")}.`]),
    ...(hidden.length === 0 ? [] : [`Hidden text was kept from the model: ${hidden.join(", ")}.`]),
  ].map((sentence) => `<sub>${sentence}</sub>`);
  if (unread.length === 0) return note;
  const shown = fitList(unread, line, room, 100, (count) => `- and ${counted(count, "more file")}`);
  const title = `${counted(unread.length, "file")} not read, or not wholly, by the model`;
  return [
    `<details><summary>${title}</summary>`,
    "",
    ...shown,
    "",
    "</details>",
    ...(note.length === 0 ? [] : ["", ...note]),
  ];
}

function line({ path, state, reason }: FileCoverage): string {
  const how = state === "partial" ? "in part" : "not read";
  return `- ${codeSpan(path, 120)}: ${how}${reason === null ? "" : `, ${sanitizeInline(publicWords(reason), 200)}`}`;
}
