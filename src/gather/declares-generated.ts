// Whether a file says in its first lines that a program wrote it.
import type { FileDiff } from "../domain/pull-request.ts";

/** Generators speak first; below that the words are about something else. */
const FIRST_LINES = 5;

/** Go's convention allows a licence before its line, and fixes the line's form. */
const GO_LINES = 30;
const GO = /^\/\/ Code generated .{0,200} DO NOT EDIT\.$/;

/** The words stand in a comment; code that prints them does not count. */
const COMMENT = /^\W{0,20}(?:\/\/|#|\/\*|\*|--|<!--|;|%|"""|'''|REM\b|\{-|\(\*)/;

/** The tag or the words in capitals; in other case only beside "generated": "do not edit the line below" is prose. */
const WORDS = /@generated(?![\w-])|\bDO NOT EDIT\b/;
const GENERATED_WORDS = /generated\b.{0,100}\bdo not (?:edit|modify)\b/i;

interface Line {
  readonly number: number;
  readonly text: string;
  readonly added: boolean;
}

/**
 * The reason to leave a file out because its header says that it is generated, or null.
 *
 * A header that this very change adds to a file that was there before does not count: two words must not take a file out
 * of its review.
 *
 * @param file the diff; its hunks tell the first lines where `headText` is not known
 * @param headText the head file's text, or undefined
 */
export function declaresGenerated(file: FileDiff, headText: string | undefined): string | null {
  const lines = firstLines(file, headText);
  const header = lines.find(
    ({ number, text }) =>
      GO.test(text) ||
      (number <= FIRST_LINES && COMMENT.test(text) && (WORDS.test(text) || GENERATED_WORDS.test(text))),
  );
  if (header === undefined || (header.added && file.status !== "added")) return null;
  const words = WORDS.exec(header.text)?.[0] ?? "";
  return words.startsWith("@") ? "generated (header says @generated)" : "generated (header says DO NOT EDIT)";
}

function firstLines(file: FileDiff, headText: string | undefined): readonly Line[] {
  const inDiff = new Map(
    file.hunks
      .flatMap((hunk) => hunk.lines)
      .filter((line) => line.newLine !== null && line.newLine <= GO_LINES)
      .map((line) => [line.newLine, line]),
  );
  if (headText === undefined) {
    return [...inDiff.values()].map(({ newLine, text, kind }) => ({
      number: newLine ?? 0,
      text: trimmed(text),
      added: kind === "added",
    }));
  }
  return headText
    .slice(0, 20_000)
    .split("\n", GO_LINES)
    .map((text, index) => ({
      number: index + 1,
      text: trimmed(text),
      added: inDiff.get(index + 1)?.kind === "added",
    }));
}

function trimmed(text: string): string {
  return text.slice(0, 1000).replace(/\r$/, "");
}
