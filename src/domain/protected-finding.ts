// Findings that are never silenced by a show of hands: that takes a reason, in words, by somebody who may write.
import { isAlwaysSaid } from "./finding.ts";
import type { MemoryRecord } from "./memory.ts";

/** True for what is critical or a matter of security, and for major matters of correctness. */
export function isProtected({ severity, category }: Pick<MemoryRecord, "severity" | "category">): boolean {
  return isAlwaysSaid({ severity, category }) || (severity === "major" && category === "correctness");
}
