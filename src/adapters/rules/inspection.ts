// What rules found: in their words, held back where the code says so, in one order.

import type { RuleSetting } from "../../config/repo-config.ts";
import type { Finding } from "../../domain/finding.ts";
import type { Degraded } from "../../domain/omissions.ts";
import { compareTexts } from "../../domain/text/compare-texts.ts";
import { paragraphs } from "../../domain/text/paragraphs.ts";
import type { Inspection } from "../../ports.ts";
import type { RuleText } from "./rule.ts";

/** Findings of each file by line, then by rule, so that the same input always reads the same. */
export function joinInspections(parts: readonly Inspection[]): Inspection {
  const paths = new Map<string, number>();
  for (const { path } of parts.flatMap((part) => part.findings)) if (!paths.has(path)) paths.set(path, paths.size);
  const order = (a: Finding, b: Finding): number =>
    (paths.get(a.path) ?? 0) - (paths.get(b.path) ?? 0) ||
    a.startLine - b.startLine ||
    a.line - b.line ||
    compareTexts(a.rule ?? "", b.rule ?? "");
  return {
    findings: parts.flatMap((part) => part.findings).sort(order),
    heldBack: parts.flatMap((part) => part.heldBack),
    degraded: [...new Map(parts.flatMap((part) => part.degraded).map((said) => [JSON.stringify(said), said])).values()],
  };
}

/** Nothing was found, for these reasons. */
export function onlyDegraded(...degraded: readonly Degraded[]): Inspection {
  return { findings: [], heldBack: [], degraded };
}

/** @param found findings of one rule, each with the reason why its code holds it back, or null */
export function inspectionOf(
  found: readonly { readonly finding: Finding; readonly ignored: string | null }[],
): Inspection {
  return {
    findings: found.flatMap(({ finding, ignored }) => (ignored === null ? [finding] : [])),
    heldBack: found.flatMap(({ finding, ignored }) =>
      ignored === null ? [] : [{ finding, reason: `kodiai-ignore: ${ignored}` }],
    ),
    degraded: [],
  };
}

/** A finding's words of its rule: `here` names the code at its place, `where` adds a sentence. */
export function wordsOfRule(
  rule: RuleText,
  setting: RuleSetting | undefined,
  detail: string | undefined,
  { here = "", where = "" }: { readonly here?: string; readonly where?: string },
): Omit<Finding, "id" | "path" | "side" | "startLine" | "line" | "suggestion"> {
  return {
    severity: setting === undefined || setting === "off" ? rule.severity : setting,
    category: rule.category,
    rule: rule.id,
    title: detail === undefined ? rule.title : `${rule.title}: ${detail}`,
    body: paragraphs(here, rule.why, where, rule.fix),
    source: "rule",
    confidence: rule.confidence,
    precedents: [],
  };
}
