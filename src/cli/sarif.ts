// SARIF 2.1.0, for code scanning and editors.
import type { Finding, Severity } from "../domain/finding.ts";
import type { Review } from "../domain/review.ts";

const LEVEL: Readonly<Record<Severity, "error" | "warning" | "note">> = {
  critical: "error",
  major: "error",
  medium: "warning",
  minor: "note",
};

/** One run with a rule per distinct rule and a result per finding; held-back findings appear as suppressed results. */
export function sarif(review: Review) {
  const said = review.findings.map(({ finding }) => result(finding));
  const held = review.heldBack.map(({ finding, reason }) => ({
    ...result(finding),
    suppressions: [{ kind: "inSource", justification: reason }],
  }));
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "Kodiai", informationUri: "https://github.com/kodiai/kodiai", rules: rules(review) } },
        results: [...said, ...held],
      },
    ],
  };
}

function rules(review: Review) {
  const all = [...review.findings, ...review.heldBack].map(({ finding }) => finding);
  const byId = new Map(all.map((finding) => [ruleId(finding), finding]));
  return [...byId].map(([id, finding]) => ({
    id,
    shortDescription: { text: finding.title },
    defaultConfiguration: { level: LEVEL[finding.severity] },
    properties: { category: finding.category, severity: finding.severity },
  }));
}

function result(finding: Finding) {
  return {
    ruleId: ruleId(finding),
    level: LEVEL[finding.severity],
    message: { text: `${finding.title}\n\n${finding.body}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: finding.path.split("/").map(encodeURIComponent).join("/") },
          region: { startLine: finding.startLine, endLine: finding.line },
        },
      },
    ],
    partialFingerprints: { "kodiaiFinding/v1": finding.id },
    properties: { confidence: finding.confidence, source: finding.source, side: finding.side },
  };
}

function ruleId(finding: Finding): string {
  return finding.rule ?? finding.source;
}
