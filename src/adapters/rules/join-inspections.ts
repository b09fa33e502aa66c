// What was found in several files as one answer.

import type { Finding } from "../../domain/finding.ts";
import { compareTexts } from "../../domain/text/compare-texts.ts";
import type { Inspection } from "../../ports.ts";

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
