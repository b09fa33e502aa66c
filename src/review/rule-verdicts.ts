// What a model makes of the rules' findings. It may quiet a mild one; it never touches what is grave, because the text
// that it read may have asked it to.
import type { Finding, HeldBack } from "../domain/finding.ts";
import type { RuleVerdict } from "./reply.ts";

/** Splits the rules' findings by what the model said of them. Without a word about it a finding stays. */
export function takeRuleVerdicts(
  findings: readonly Finding[],
  verdicts: readonly RuleVerdict[],
): { readonly findings: readonly Finding[]; readonly heldBack: readonly HeldBack[] } {
  const byId = new Map(verdicts.map((verdict) => [verdict.id.trim().replace(/^\[|\]$/g, ""), verdict]));
  const heldBack: HeldBack[] = [];
  const kept = findings.filter((finding) => {
    const verdict = byId.get(finding.id);
    const isRefuted = verdict?.verdict === "wrong" && verdict.reason.trim() !== "" && !isGrave(finding);
    if (isRefuted) {
      heldBack.push({
        finding,
        reason: `the model, looking at the code, found it wrong: ${verdict.reason.trim().slice(0, 200)}`,
      });
    }
    return !isRefuted;
  });
  return { findings: kept, heldBack };
}

function isGrave({ severity, category }: Finding): boolean {
  return category === "security" || severity === "critical" || severity === "major";
}
