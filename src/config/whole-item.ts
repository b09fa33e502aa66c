// Items of a list that count as a whole or not at all.
import type { Path } from "./located.ts";

/** A suppression that lost one of its conditions would hold back more than was asked for. */
const WHOLE: ReadonlySet<string> = new Set(["review.suppress"]);

/** The path of the item that a path leads to or into, when it is one that counts as a whole; else null. */
export function wholeItem(path: Path): Path | null {
  const at = path.findIndex((part) => typeof part === "number");
  return at >= 0 && WHOLE.has(path.slice(0, at).join(".")) ? path.slice(0, at + 1) : null;
}
