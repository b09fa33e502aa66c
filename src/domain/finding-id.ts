import { createHash } from "node:crypto";

/**
 * The identity of a finding across pushes: rule, path and the words of its lines, not their numbers.
 *
 * @param rule the rule's id (or the model's category and title)
 * @param path the head path
 * @param lines the text of the lines spoken about; white space is folded, so re-indentation keeps the id
 * @param occurrence 0 for the first such place of the file, 1 for the next, …
 * @returns `fnd_` + 12 hex digits of SHA-256
 */
export function findingId(rule: string, path: string, lines: readonly string[], occurrence: number): string {
  const words = lines.map((line) => line.replace(/\s+/g, " ").trim()).join("\n");
  const digest = createHash("sha256")
    .update(JSON.stringify([rule, path, words, occurrence]))
    .digest("hex");
  return `fnd_${digest.slice(0, 12)}`;
}
