// SARIF 2.1.0, for code scanning and editors. The specification: docs.oasis-open.org/sarif/sarif/v2.1.0.
import manifest from "../../../package.json" with { type: "json" };
import { rulePage } from "../../config/rule-page.ts";
import type { Finding } from "../../domain/finding.ts";
import { quietVerdict, type Review, unreadDiff } from "../../domain/review.ts";
import { ruleText } from "../../wire/rules.ts";

const LEVEL = { critical: "error", major: "error", medium: "warning", minor: "note" } as const;

/** GitHub shows security findings by a score: over 9 critical, over 7 high, over 4 medium. Source: GitHub's SARIF support. */
const SECURITY_SCORE = { critical: "9.5", major: "8.0", medium: "5.0", minor: "3.0" } as const;

/** One run with a rule per distinct rule and a result per finding; held-back findings appear as suppressed results. */
export function sarif(review: Review) {
  const all = [...review.findings, ...review.heldBack].map(({ finding }) => finding);
  const byRule = Map.groupBy(all, ruleId);
  const ids = [...byRule.keys()];
  const result = (finding: Finding) => ({ ruleIndex: ids.indexOf(ruleId(finding)), ...resultOf(finding) });
  const unread = unreadDiff(review) !== null;
  const { head, rest } = quietVerdict(review);
  const rules = [...byRule].flatMap(([id, [first]]) => (first ? [ruleOf(id, first)] : []));
  const notifications = [
    ...review.degraded.map(({ part, reason }) => ({
      level: unread && part === "diff" ? "error" : "warning",
      message: { text: `${part}: ${reason}` },
    })),
    ...(review.findings.length > 0 ? [] : [{ level: "note", message: { text: `${head}${rest}` } }]),
  ];
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "Kodiai", semanticVersion: manifest.version, rules } },
        automationDetails: { id: "kodiai/" },
        columnKind: "utf16CodeUnits",
        invocations: [{ executionSuccessful: !unread, toolExecutionNotifications: notifications }],
        results: [
          ...review.findings.map(({ finding }) => result(finding)),
          ...review.heldBack.map(({ finding, reason }) => {
            // In source: suppressed by a comment in the code. External: by the configuration or the title.
            const kind = reason.startsWith("kodiai-ignore") ? "inSource" : "external";
            return { ...result(finding), suppressions: [{ kind, justification: reason }] };
          }),
        ],
      },
    ],
  };
}

/** A built-in rule has its own text; a repository's rule or the model has only its first finding's. */
function ruleOf(id: string, finding: Finding) {
  const known = ruleText(id);
  const { severity, category } = known ?? finding;
  const page = known === null ? null : rulePage(id);
  const short = known?.title ?? (finding.source === "model" ? "Finding by a model" : finding.title);
  return {
    id,
    shortDescription: { text: short },
    fullDescription: { text: known?.why ?? short },
    help: { text: known?.fix ?? finding.body },
    ...(page === null ? {} : { helpUri: page }),
    defaultConfiguration: { level: LEVEL[severity] },
    properties: {
      tags: [category],
      precision: "high",
      severity,
      ...(category === "security" ? { "security-severity": SECURITY_SCORE[severity] } : {}),
    },
  };
}

function resultOf(finding: Finding) {
  return {
    ruleId: ruleId(finding),
    level: LEVEL[finding.severity],
    message: { text: `${finding.title}\n\n${finding.body}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(finding.path), uriBaseId: "%SRCROOT%" },
          region: { startLine: finding.startLine, endLine: finding.line },
        },
      },
    ],
    partialFingerprints: { "kodiaiFinding/v1": finding.id },
    properties: { confidence: finding.confidence, source: finding.source, side: finding.side },
  };
}

/** A relative reference; a file name may contain characters that an address cannot. */
function uriOf(path: string): string {
  return path.toWellFormed().split("/").map(encodeURIComponent).join("/");
}

function ruleId(finding: Finding): string {
  return finding.rule ?? finding.source;
}
