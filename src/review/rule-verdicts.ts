// Applies a model's verdicts to the findings of rules. A verdict may silence a mild finding but never a severe one,
// because the text that the model read may have asked it to.

import { atLeast, type Finding } from "../domain/finding.ts";
import { cutText } from "../domain/text/cut-text.ts";
import { type Checked, plainId, split } from "./reading/verify.ts";
import type { RuleVerdict } from "./reply.ts";

/**
 * Splits the rules' findings by the model's verdicts. A finding without a verdict stays, and so does one that any of
 * several answers does not call wrong.
 */
export function takeRuleVerdicts(findings: readonly Finding[], verdicts: readonly RuleVerdict[]): Checked {
  const byId = new Map<string, RuleVerdict>();
  for (const verdict of verdicts) {
    const id = plainId(verdict.id);
    if (verdict.verdict !== "wrong" || !byId.has(id)) byId.set(id, verdict);
  }
  return split(findings, (finding) => {
    const { verdict, reason = "" } = byId.get(finding.id) ?? {};
    if (verdict !== "wrong" || reason.trim() === "" || isGrave(finding)) return null;
    return `the model, looking at the code, found it wrong: ${cutText(reason.trim(), 200)}`;
  });
}

function isGrave({ severity, category }: Finding): boolean {
  return category === "security" || atLeast(severity, "major");
}
