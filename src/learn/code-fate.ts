// What became of the code that a finding was about, told from the text of its file now.
import { type NumberedLine, textTokens, tokenStream } from "../domain/code-shape.ts";
import { findAgain } from "../domain/find-again.ts";
import type { Said } from "../domain/past.ts";
import type { CodeFate } from "../domain/pull-feedback.ts";

/**
 * @param text of the file at the newest head; null when the file is gone
 * @returns null where it cannot be told: about a whole file, a removed line, or code that was never known
 */
export function codeFate({ finding, shape }: Pick<Said, "finding" | "shape">, text: string | null): CodeFate | null {
  if (finding.side === "LEFT" || finding.locMethod === "none" || shape.at.length === 0) return null;
  if (text === null) return "changed";
  const stream = tokenStream(text.split("\n").map((line, index): NumberedLine => ({ line: index + 1, text: line })));
  const found = findAgain(shape, stream, finding.startLine);
  if (found?.as === "same") return "stands";
  const { suggestion } = finding;
  if (suggestion !== null && suggestion.text.trim() !== "") {
    const mended = findAgain({ ...shape, at: textTokens(suggestion.text) }, stream, finding.startLine);
    if (mended?.as === "same") return "applied";
  }
  return "changed";
}
