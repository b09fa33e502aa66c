// Applies a model's verdicts to the findings of rules. A verdict may silence a mild finding but never a severe one,
// because the text that the model read may have asked it to.

import type { Finding, HeldBack } from "../domain/finding.ts";
import { cutText } from "../domain/text/cut-text.ts";
import type { RuleVerdict } from "./reply.ts";

/**
 * Splits the rules' findings by the model's verdicts. A finding without a verdict stays, and so does one that any of
 * several answers does not call wrong.
 */
export function takeRuleVerdicts(
  findings: readonly Finding[],
  verdicts: readonly RuleVerdict[],
): { readonly findings: readonly Finding[]; readonly heldBack: readonly HeldBack[] } {
  const byId = new Map<string, RuleVerdict>();
  for (const verdict of verdicts) {
    const id = verdict.id.trim().replace(/^\[|\]$/g, "");
    if (verdict.verdict !== "wrong" || !byId.has(id)) byId.set(id, verdict);
  }
  const heldBack: HeldBack[] = [];
  const kept = findings.filter((finding) => {
    const verdict = byId.get(finding.id);
    const isRefuted = verdict?.verdict === "wrong" && verdict.reason.trim() !== "" && !isGrave(finding);
    if (isRefuted) {
      heldBack.push({
        finding,
        reason: `the model, looking at the code, found it wrong: ${cutText(verdict.reason.trim(), 200)}`,
      });
    }
    return !isRefuted;
  });
  return { findings: kept, heldBack };
}

function isGrave({ severity, category }: Finding): boolean {
  return category === "security" || severity === "critical" || severity === "major";
}
