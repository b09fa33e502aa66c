// What memory held back at an earlier push and no model reads again now: still held back, or said because somebody restored it.
import type { Finding } from "../domain/finding.ts";
import type { Checkpoint } from "../domain/review/review-history.ts";
import type { CodeNow } from "./code-now.ts";

/**
 * Findings of a model that memory held back, in files that the push leaves alone, so that their lines are still theirs.
 * Rules find theirs again by themselves; in files that were touched the model looks again.
 *
 * @param found what was found this time
 */
export function revived(checkpoint: Checkpoint, found: readonly Finding[], code: CodeNow): readonly Finding[] {
  if (checkpoint.kind === "full") return [];
  const again = new Set(found.map(({ id }) => id));
  const paths = new Set(code.paths);
  return checkpoint.heldBack.flatMap(({ finding, precedent }) => {
    const { id, path, rule } = finding;
    const isLeftAlone = paths.has(path) && !checkpoint.touched.has(path) && !checkpoint.renamed.has(path);
    return precedent !== undefined && rule === null && isLeftAlone && !again.has(id) ? [finding] : [];
  });
}
