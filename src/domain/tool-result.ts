// What another tool (a linter, a scanner) reports about a change, and how its words become ours.
import { type Category, SEVERITIES, type Severity } from "./finding.ts";
import type { Degraded } from "./omissions.ts";
import { cutText, oneLine } from "./text/cut-text.ts";

/** Where a result is, in the head file: by line, by character, or by its text alone. */
export type ToolRegion =
  | {
      readonly kind: "lines";
      /** 1-based, inclusive. */
      readonly startLine: number;
      readonly line: number;
      /** 1-based columns of UTF-16 units; the last is exclusive. Null: the whole of its line. */
      readonly startColumn: number | null;
      readonly endColumn: number | null;
    }
  /** 0-based UTF-16 units of the file. */
  | { readonly kind: "characters"; readonly from: number; readonly to: number }
  | { readonly kind: "text"; readonly text: string }
  /** The whole file. */
  | { readonly kind: "file" }
  | { readonly kind: "none" };

/** One result of a tool in a changed file. All its texts are untrusted. */
export interface ToolResult extends Judgement {
  /** See toolName. */
  readonly tool: string;
  /** The tool's own id of the rule: one line of at most 200 UTF-16 units, `unnamed` without one. */
  readonly rule: string;
  readonly path: string;
  readonly region: ToolRegion;
  /** One line of at most 200 UTF-16 units. */
  readonly title: string;
  /** At most 1,500 UTF-16 units; "" when the title says it all. */
  readonly body: string;
  /** CWEs and tags of the rule, for comparison with other claims. */
  readonly tags: readonly string[];
  /** One replacement in the same file, or null. */
  readonly fix: { readonly region: ToolRegion & { readonly kind: "lines" }; readonly text: string } | null;
}

/** The results of all tools for one head. */
export interface ToolReport {
  readonly results: readonly ToolResult[];
  /** Tools that ran on this head, also those that found nothing. */
  readonly ran: readonly string[];
  /** Tools whose results for this head are complete: what they no longer report may be fixed. */
  readonly complete: readonly string[];
  readonly degraded: readonly Degraded[];
}

export const NO_REPORT: ToolReport = { results: [], ran: [], complete: [], degraded: [] };

/** The reports of several sources as one. */
export function joinedReports(reports: readonly ToolReport[]): ToolReport {
  return {
    results: reports.flatMap(({ results }) => results),
    ran: [...new Set(reports.flatMap(({ ran }) => ran))],
    complete: reports.flatMap(({ complete }) => complete),
    degraded: reports.flatMap(({ degraded }) => degraded),
  };
}

/**
 * Parts of `degraded`: a file that could not be read (an error of the person who named it), and
 * results that were cut.
 */
export const SARIF_FILE = "sarif";
export const TOOL_RESULTS = "tool-results";

/** How grave, about what, and how certain. */
export interface Judgement {
  readonly severity: Severity;
  readonly category: Category;
  readonly confidence: number;
}

/** What a tool says of one result, as far as it does. */
export interface ToolWords {
  readonly tool: string;
  /** `error`, `warning`, `note` or `none`: SARIF 2.1.0, section 3.27.10. */
  readonly level: string;
  /** CVSS, 0–10; null without one. */
  readonly securityScore: number | null;
  /** `very-high`, `high`, `medium` or `low`; "" without one. */
  readonly precision: string;
  readonly tags: readonly string[];
}

/** GitHub shows results of code scanning in the same order: error, warning, note. */
const BY_LEVEL: ReadonlyMap<string, Severity> = new Map([
  ["error", "major"],
  ["warning", "medium"],
  ["note", "minor"],
  ["none", "minor"],
]);
/**
 * GitHub's table of `security-severity`: over 9 critical, from 7 high, from 4 medium. Source:
 * "SARIF support for code scanning".
 */
const BY_SCORE = [9, 7, 4] as const;
/**
 * GitHub's words for the precision of a rule; the shares are estimates, .8 where a tool gives none.
 */
const BY_PRECISION = new Map([
  ["very-high", 0.95],
  ["high", 0.9],
  ["medium", 0.75],
  ["low", 0.5],
]);
const USUAL_CONFIDENCE = 0.8;
/**
 * What a tool is about where its rules do not say. Others lint: their errors are about correctness.
 */
const SECURITY_TOOLS = new Set([
  "bandit",
  "brakeman",
  "checkov",
  "gitleaks",
  "gosec",
  "secretlint",
  "snyk",
  "tfsec",
  "trivy",
  "trufflehog",
]);
/** These give no level, and what they find is a secret that must be revoked. */
const SECRET_TOOLS = new Set(["gitleaks", "trufflehog"]);
/**
 * These call everything an error, also an unused import or a blank at the end of a line: their
 * level says nothing.
 */
const ONE_LEVEL_TOOLS = new Set(["ansible-lint", "golangci-lint", "markdownlint-cli2", "ruff"]);
const CATEGORY_TAGS: readonly (readonly [RegExp, Category])[] = [
  [/^(?:security|cwe|external\/cwe|owasp|vulnerability|secret)/i, "security"],
  [/^(?:correctness|bug|bugs|error-prone|logic|possible-errors?)$/i, "correctness"],
  [/^(?:performance|efficiency)$/i, "performance"],
  [/^(?:reliability|robustness)$/i, "reliability"],
  [/^(?:style|stylistic|formatting|layout)$/i, "style"],
  [/^(?:documentation|docs?)$/i, "docs"],
  [/^(?:maintainability|complexity|readability|best-practices?|suggestion)$/i, "maintainability"],
];

/** A tool's judgement in our words. */
export function judged({ tool, level, securityScore, precision, tags }: ToolWords): Judgement {
  const byTag = CATEGORY_TAGS.find(([tag]) => tags.some((one) => tag.test(one)))?.[1];
  const said = ONE_LEVEL_TOOLS.has(tool) ? "warning" : level;
  const byLevel = SECRET_TOOLS.has(tool) ? "major" : (BY_LEVEL.get(said) ?? "medium");
  const rank = BY_SCORE.findIndex((least) => (securityScore ?? 0) >= least);
  const byTool = SECURITY_TOOLS.has(tool) ? "security" : said === "error" ? "correctness" : "maintainability";
  // Tools write 0 where they have no score.
  const isScored = securityScore !== null && securityScore > 0;
  return {
    severity: isScored ? (SEVERITIES[rank] ?? "minor") : byLevel,
    category: isScored ? "security" : (byTag ?? byTool),
    confidence: BY_PRECISION.get(precision) ?? USUAL_CONFIDENCE,
  };
}

/** `Semgrep OSS` and `Semgrep PRO` are semgrep: editions of one tool report the same rules. */
export function toolName(name: string): string {
  const [plain = ""] = oneLine(name)
    .toLowerCase()
    .split(/ (?:oss|pro|code|cli|community|engine)\b/, 1);
  return cutText(plain.replace(/[^a-z0-9.+-]+/g, "-").replace(/^-+|(?<!-)-+$/g, ""), 40) || "unnamed-tool";
}

/**
 * The id of a tool's rule among all rules: `semgrep/python.lang.security.exec`. Ours have no slash.
 */
export function toolRuleId({ tool, rule }: Pick<ToolResult, "tool" | "rule">): string {
  return `${tool}/${rule}`;
}

/** The tool and its own id of a rule; null for a rule of ours. */
export function ofTool(rule: string | null): { readonly tool: string; readonly rule: string } | null {
  const at = rule?.indexOf("/") ?? -1;
  return rule === null || at < 1 ? null : { tool: rule.slice(0, at), rule: rule.slice(at + 1) };
}

const TITLE_CHARS = 200;
const BODY_CHARS = 1_500;
const RULE_CHARS = 200;
const TAGS = 30;

/**
 * What a tool says, bounded: the first sentence as the title, the rest as the body. The publish
 * stage redacts secrets in them.
 */
export function toolTexts(message: string, description: string, rule: string, tags: readonly string[]) {
  // A template such as `{name}` is no text, and a name of the rule says nothing more.
  const about = /\{\w+\}/.test(description) || description === rule ? "" : description;
  // "Package: lodash" and the like is a table, and no sentence.
  const said = cutText(message.trim(), 8 * BODY_CHARS);
  const isTable = /^[\w ]{1,30}: .*\n[\w ]{1,30}: /.test(said);
  const start = (isTable && about !== "" ? about : said || about || rule).trim();
  const [first = ""] = /^.*?(?:[.!?](?=\s)|\n|$)/s.exec(start) ?? [];
  const title = cutText(oneLine(first), TITLE_CHARS);
  const rest = isTable && about !== "" ? said : start.slice(first.length).trim();
  const isCut = oneLine(first).length > TITLE_CHARS;
  return {
    rule: cutText(oneLine(rule), RULE_CHARS) || "unnamed",
    title: `${title.replace(/(?<![.:\s])[.:\s]+$/, "")}${isCut ? " …" : ""}`,
    body: cutText(isCut ? said : rest || (oneLine(about) === oneLine(start) ? "" : about), BODY_CHARS),
    tags: tags.slice(0, TAGS).map((tag) => cutText(tag, 100)),
  };
}
