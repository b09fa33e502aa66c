// SARIF 2.1.0, for code scanning and editors: docs.oasis-open.org/sarif/sarif/v2.1.0.

import manifest from "../../../package.json" with { type: "json" };
import { docsPage } from "../../config/rule-page.ts";
import type { Finding, Suggestion } from "../../domain/finding.ts";
import { quietVerdict, type Review, unreadDiff } from "../../domain/review.ts";
import { paragraphs } from "../../domain/text/paragraphs.ts";
import { ruleText } from "../../wire/rules.ts";

const LEVEL = { critical: "error", major: "error", medium: "warning", minor: "note" } as const;

/** Where a finding of no built-in rule is explained. */
const PAGE = { rule: "configuration.md", model: "models.md", memory: "memory.md", tool: "linters.md" } as const;

/** GitHub's SARIF support: over 9 is critical, over 7 high, over 4 medium. */
const SECURITY_SCORE = { critical: "9.5", major: "8.0", medium: "5.0", minor: "3.0" } as const;

/** One run with the rules that fired, and a result per finding; held-back ones are suppressed. */
export function sarif(review: Review) {
  const all = [...review.findings, ...review.heldBack].map(({ finding }) => finding);
  const byRule = Map.groupBy(all, ruleId);
  const ids = [...byRule.keys()];
  const result = (finding: Finding) => ({ ruleIndex: ids.indexOf(ruleId(finding)), ...resultOf(finding) });
  const unread = unreadDiff(review) !== null;
  const { head, rest, held } = quietVerdict(review);
  const rules = [...byRule].flatMap(([id, [first]]) => (first ? [ruleOf(id, first)] : []));
  const notifications = [
    ...review.degraded.map(({ part, reason }) => ({
      level: unread && part === "diff" ? "error" : "warning",
      message: { text: `${part}: ${reason}` },
    })),
    ...(review.findings.length > 0 ? [] : [{ level: "note", message: { text: `${head}${rest}${held}` } }]),
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
            // In source: by a comment in the code. External: by the configuration or the title.
            const kind = reason.startsWith("kodiai-ignore") ? "inSource" : "external";
            return { ...result(finding), suppressions: [{ kind, justification: reason }] };
          }),
        ],
      },
    ],
  };
}

/** A built-in rule has a text of its own; any other has only that of its first finding. */
function ruleOf(id: string, finding: Finding) {
  const known = ruleText(id);
  const { severity, category } = known ?? finding;
  const short = known?.title ?? (finding.source === "model" ? "Finding by a model" : finding.title);
  return {
    id,
    shortDescription: { text: short },
    fullDescription: { text: known?.why ?? short },
    help: { text: known?.fix ?? (finding.body || finding.title) },
    helpUri: docsPage(known === null ? PAGE[finding.source] : `rules.md#${id}`),
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
  const artifactLocation = { uri: uriOf(finding.path), uriBaseId: "%SRCROOT%" };
  return {
    ruleId: ruleId(finding),
    level: LEVEL[finding.severity],
    message: { text: paragraphs(finding.title, finding.body) },
    locations: [
      {
        physicalLocation: {
          artifactLocation,
          region: { startLine: finding.startLine, endLine: finding.line },
        },
      },
    ],
    ...(finding.suggestion === null ? {} : { fixes: [fixOf(finding.suggestion, artifactLocation)] }),
    partialFingerprints: { "kodiaiFinding/v1": finding.id },
    properties: { confidence: finding.confidence, source: finding.source, side: finding.side },
  };
}

/** A region without columns leaves its last line end, so a deletion reaches to the next line. */
function fixOf({ startLine, line, text, crlf }: Suggestion, artifactLocation: object) {
  const whole = { startLine, endLine: line };
  const deletedRegion = text === "" ? { startLine, startColumn: 1, endLine: line + 1, endColumn: 1 } : whole;
  const replacements = [
    {
      deletedRegion,
      ...(text === "" ? {} : { insertedContent: { text: crlf ? text.replaceAll("\n", "\r\n") : text } }),
    },
  ];
  return { description: { text: "Replace these lines" }, artifactChanges: [{ artifactLocation, replacements }] };
}

/** A relative reference; a file name may contain characters that an address cannot. */
function uriOf(path: string): string {
  return path.toWellFormed().split("/").map(encodeURIComponent).join("/");
}

function ruleId(finding: Finding): string {
  return finding.rule ?? finding.source;
}
