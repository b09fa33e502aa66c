// The text of docs/rules.md, made from the rules themselves so that it cannot lag behind them.

import { structuredPatch } from "diff";
import type { Example, RepositoryRule, Rule as RuleOfFiles } from "../src/adapters/rules/rule.ts";
import { EVERY_RULE } from "../src/adapters/rules/rules.ts";
import { CATEGORIES } from "../src/domain/finding.ts";

type Rule = RuleOfFiles | RepositoryRule;

/**
 * A page about every rule: a table by category, then a section per rule with its reason, its fix and one example each.
 *
 * @returns Markdown that ends with a newline; the same for the same rules
 */
export function rulesMarkdown(rules: readonly Rule[] = EVERY_RULE): string {
  const tables = CATEGORIES.map((category) => rules.filter((rule) => rule.category === category))
    .filter((group) => group.length > 0)
    .map(table);
  return `${[intro(rules.length), ...tables, "## Each rule", ...rules.map(section)].join("\n\n")}\n`;
}

function intro(count: number): string {
  return [
    "# Rules",
    `Kodiai's ${count} built-in rules. They run without a model, and speak only about lines that the pull request adds or changes.`,
    "They find secrets, hidden text, injections, disabled protection, and what one file does not show. For style, correctness within one file and settings of infrastructure use your linter (ESLint, Ruff, `go vet`, Clippy, ShellCheck, Checkov …).",
    "Turn a rule off or change its severity in `.kodiai.yml`:",
    "```yaml\nrules:\n  missing-timeout: off\n  workflow-write-all: major\n```",
    "Or hold one place back with a comment on its line or the line above; the review lists it with your reason:",
    "```python\nreply = requests.get(URL)  # kodiai-ignore missing-timeout the proxy in front has one\n```",
    "Rules marked ° hold the change against the rest of the repository at its head, where that can be read (`review.snapshot`).",
    "Rules marked * also speak about test files, and those marked + suggest a replacement that one click applies.",
  ].join("\n\n");
}

function table(rules: readonly Rule[]): string {
  const rows = rules.map(
    (rule) =>
      `| [${rule.id}](#${rule.id})${"look" in rule ? " °" : ""}${rule.inTests ? " *" : ""}${rule.fixes === undefined ? "" : " +"} | ${rule.severity} | ${languages(rule)} | ${cell(rule.title)} |`,
  );
  const [first] = rules;
  const name = first?.category ?? "";
  const title = `## ${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return [title, "", "| rule | severity | languages | says |", "|-|-|-|-|", ...rows].join("\n");
}

function section(rule: Rule): string {
  const parts = [
    `### ${rule.id}`,
    `**${rule.title}** (${rule.severity}, ${rule.category})`,
    rule.why,
    rule.fix,
    ...exampleOf("Speaks about", rule.bad),
    ...exampleOf("Silent about", rule.good),
  ];
  return parts.join("\n\n");
}

function exampleOf(label: string, example: Example | undefined): string[] {
  if (example === undefined) return [];
  const { path, code, before, beside = {} } = example;
  const changed = before === undefined ? block(path, code) : block(".diff", changeOf(before, code));
  const others = Object.entries(beside).flatMap(([other, text]) => [`beside \`${other}\`:`, block(other, text)]);
  return [`${label} (\`${path}\`):`, changed, ...others];
}

function block(path: string, text: string): string {
  const code = visible(text.replace(/\n$/, ""));
  const fence = code.includes("```") ? "````" : "```";
  const extension = path.slice(path.lastIndexOf(".") + 1);
  return `${fence}${extension}\n${code}\n${fence}`;
}

function changeOf(before: string, code: string): string {
  const { hunks } = structuredPatch("", "", before, code, "", "", { context: 9 });
  return hunks.flatMap(({ lines }) => lines.filter((line) => !line.startsWith("\\"))).join("\n");
}

function languages(rule: Rule): string {
  if ("match" in rule) return Object.keys(rule.match).sort().join(", ");
  return "check" in rule || rule.languages === "any" ? "any" : [...rule.languages].sort().join(", ");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

/** Characters that cannot be seen (bidi marks, zero-width, controls) are written out, or the page would hold them. */
function visible(code: string): string {
  return code.replace(/[\p{Cf}\p{Cc}]/gu, (character) =>
    character === "\n" || character === "\t" ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
