import type { RuleSetting } from "../../config/repo-config.ts";
import type { Finding } from "../../domain/finding.ts";
import type { RuleText } from "./rule.ts";

/**
 * What a finding says of its rule.
 *
 * @param where a further sentence
 */
export function wordsOfRule(
  rule: RuleText,
  setting: RuleSetting | undefined,
  detail: string | undefined,
  where = "",
): Omit<Finding, "id" | "path" | "side" | "startLine" | "line" | "suggestion"> {
  return {
    severity: setting === undefined || setting === "off" ? rule.severity : setting,
    category: rule.category,
    rule: rule.id,
    title: detail === undefined ? rule.title : `${rule.title}: ${detail}`,
    body: [rule.why, where, rule.fix].filter((text) => text !== "").join("\n\n"),
    source: "rule",
    confidence: rule.confidence,
    precedents: [],
  };
}
