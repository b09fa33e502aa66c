// The text of docs/rules.md, made from the rules themselves so that it cannot lag behind them.

import { structuredPatch } from "diff";
import type { RepositoryRule, Rule as RuleOfFiles } from "../src/adapters/rules/rule.ts";
import { EVERY_RULE } from "../src/adapters/rules/rules.ts";
import { CATEGORIES } from "../src/domain/finding.ts";
import { casesOf } from "../test/adapters/rules/cases/cases.ts";
import type { Example } from "../test/adapters/rules/rule-cases.ts";

type Rule = RuleOfFiles | RepositoryRule;

/**
 * A page about every rule, by category: what it says, and one example. Why it matters and the fix
 * are in the comment of a finding.
 *
 * @param examplesOf what a rule speaks about; the first is shown
 * @returns Markdown that ends with a newline; the same for the same rules
 */
export function rulesMarkdown(
  rules: readonly Rule[] = EVERY_RULE,
  examplesOf: (rule: Rule) => readonly Example[] = (rule) => casesOf(rule).bad,
): string {
  const groups = CATEGORIES.map((category) => rules.filter((rule) => rule.category === category));
  const sections = groups.filter((group) => group.length > 0).map((group) => sectionOf(group, examplesOf));
  return `${[intro(rules.length), "## Each rule", ...sections].join("\n\n")}\n`;
}

function intro(count: number): string {
  return [
    "# Rules",
    `Kodiai's ${count} built-in rules report only lines that a pull request adds, changes or removes. The comment of a finding says why it matters and how to fix it.`,
    "Switch a rule off or change its severity in `.kodiai.yml`:",
    "```yaml\nrules:\n  missing-timeout: off\n  workflow-write-all: major\n```",
    "Or ignore one place, by a comment on its line or the line above:",
    "```python\nreply = requests.get(URL)  # kodiai-ignore missing-timeout the proxy in front has one\n```",
    "Below, with an example each: ° compares the change with the repository (`review.snapshot`), * also reads tests, samples and documentation, + suggests a replacement. A rule without languages reads any text.",
  ].join("\n\n");
}

function sectionOf(rules: readonly Rule[], examplesOf: (rule: Rule) => readonly Example[]): string {
  const name = rules[0]?.category ?? "";
  return [
    `### ${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    ...rules.map((rule) => entry(rule, examplesOf(rule))),
  ].join("\n\n");
}

function entry(rule: Rule, [example]: readonly Example[]): string {
  const marks = `${"look" in rule ? "°" : ""}${rule.inTests ? "*" : ""}${rule.fixes === undefined ? "" : "+"}`;
  const facts = [rule.severity, languages(rule), marks].filter((part) => part !== "").join(", ");
  return [`#### ${rule.id}`, `**${rule.title}** (${facts})`, ...exampleOf(example)].join("\n\n");
}

function exampleOf(example: Example | undefined): string[] {
  if (example === undefined) return [];
  const { path, code, before, beside = {} } = example;
  const changed = before === undefined ? block(path, code) : block(".diff", changeOf(before, code));
  const others = Object.entries(beside).flatMap(([other, text]) => [`beside \`${other}\`:`, block(other, text)]);
  return [changed, ...others];
}

function block(path: string, text: string): string {
  const code = visible(text.replace(/\n$/, ""));
  if (!/[\n`]/.test(code)) return `\`${code}\``;
  const fence = code.includes("```") ? "````" : "```";
  const extension = path.slice(path.lastIndexOf(".") + 1);
  return `${fence}${extension}\n${code}\n${fence}`;
}

function changeOf(before: string, code: string): string {
  const { hunks } = structuredPatch("", "", before, code, "", "", { context: 9 });
  return hunks.flatMap(({ lines }) => lines.filter((line) => !line.startsWith("\\"))).join("\n");
}

/** More than these few that are left out are listed the other way around. */
const FEW = 3;

/** "" where the rule reads any text. */
function languages(rule: Rule): string {
  const own = languagesOf(rule);
  const others = [...new Set(EVERY_RULE.flatMap(languagesOf))].filter((language) => !own.includes(language));
  if (own.length === 0) return "";
  if (others.length === 0) return "all languages";
  return others.length <= FEW ? `all but ${others.sort().join(" and ")}` : own.toSorted().join(", ");
}

/** Those whose syntax it knows. */
function languagesOf(rule: Rule): readonly string[] {
  if ("match" in rule) return Object.keys(rule.match);
  return "check" in rule || rule.languages === "any" ? [] : [...rule.languages];
}

/**
 * Characters that cannot be seen (bidi marks, zero-width, controls) are written out, or the page
 * would hold them.
 */
function visible(code: string): string {
  return code.replace(/[\p{Cf}\p{Cc}]/gu, (character) =>
    character === "\n" || character === "\t" ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
