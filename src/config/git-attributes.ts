// What a repository's `.gitattributes` marks for GitHub.
import { globPattern } from "./patterns.ts";

type Mark = "generated" | "vendored";

/** More lines with marks are not read. */
const MOST_MARKS = 1_000;
const MARK = /^(-?)linguist-(generated|vendored)(?:=(true|false))?$/;

/** @param text of the file; lines with quotes, classes or escapes are not read */
export function markedPatterns(text: string) {
  /** `isSet` is false where the line takes a mark back. */
  const marked: { glob: string; mark: Mark; isSet: boolean }[] = [];
  for (const line of text.split("\n")) {
    if (!line.includes("linguist-")) continue;
    const [pattern = "", ...words] = line.trim().slice(0, 1_000).split(/\s+/);
    if (pattern === "" || /^[#"!]|[[\]\\{}]/.test(pattern)) continue;
    for (const word of words) {
      const [, minus, mark, value] = MARK.exec(word) ?? [];
      if (mark === undefined) continue;
      marked.push({ glob: pattern, mark: mark as Mark, isSet: minus !== "-" && value !== "false" });
    }
    if (marked.length >= MOST_MARKS) break;
  }
  return marked.slice(0, MOST_MARKS);
}

/** `own` where a mark is taken back and none is set. The last line that matches decides each. */
export function attributesOf(text: string): (path: string) => Mark | "own" | null {
  const patterns = markedPatterns(text).flatMap((marked) => {
    const isRooted = marked.glob.includes("/");
    const read = globPattern(marked.glob, { anyFolder: !isRooted });
    return "problem" in read ? [] : [{ ...marked, matches: read.matches }];
  });
  return (path) => {
    const last = (mark: Mark) => patterns.findLast((pattern) => pattern.mark === mark && pattern.matches(path))?.isSet;
    const marks = { generated: last("generated"), vendored: last("vendored") };
    if (marks.vendored === true) return "vendored";
    if (marks.generated === true) return "generated";
    return marks.generated === false || marks.vendored === false ? "own" : null;
  };
}
