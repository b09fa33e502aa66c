// All evidence on one pull request -> what became of each finding there. Bursts show only when findings are seen together.
import type { Evidence } from "../domain/evidence.ts";
import type { MemoryRecord } from "../domain/memory.ts";
import { heldEvidence } from "./held-evidence.ts";
import { outcomeOf, type WeighedOutcome } from "./outcome-of.ts";

/**
 * @param evidence of one pull request, in any order
 * @returns by memory id, for each finding that is given
 */
export function weighPull(
  evidence: readonly Evidence[],
  findings: readonly Pick<MemoryRecord, "id" | "severity" | "category">[],
): ReadonlyMap<string, WeighedOutcome> {
  const held = heldEvidence(evidence);
  const byMemory = Map.groupBy(evidence, ({ memoryId }) => memoryId);
  return new Map(findings.map((finding) => [finding.id, outcomeOf(byMemory.get(finding.id) ?? [], finding, held)]));
}
