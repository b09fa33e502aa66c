// A repository's own ast-grep rules: checked before they run, so that a mistake becomes a named problem and never a crash.
import type { CustomRule } from "../../config/repo-config.ts";
import { parseText } from "../grammars.ts";
import type { StructuralRule } from "./rule.ts";
import { asMatcher, causesOf } from "./syntax.ts";

/** A rule of a repository that cannot be used. */
interface CustomRuleProblem {
  readonly id: string;
  readonly message: string;
}

/** Far beyond written rules (ours stay below 60 values); keeps aliases of YAML from growing or closing a circle. */
const MAX_VALUES = 1_000;
const MAX_DEPTH = 30;

/**
 * What is wrong with custom rules: an id used twice or by a built-in rule, a rule object that ast-grep refuses.
 *
 * @param builtIn ids that are taken
 * @returns one problem per rule that cannot be used, in the order of the rules
 */
export function customRuleProblems(
  rules: readonly CustomRule[],
  builtIn: ReadonlySet<string> = new Set(),
): readonly CustomRuleProblem[] {
  return compileCustomRules(rules, builtIn).problems;
}

/** Custom rules as rules of ours, and the problems of those that cannot be used. */
export function compileCustomRules(
  rules: readonly CustomRule[],
  builtIn: ReadonlySet<string>,
): { readonly rules: readonly StructuralRule[]; readonly problems: readonly CustomRuleProblem[] } {
  const taken = new Set(builtIn);
  const compiled: StructuralRule[] = [];
  const problems: CustomRuleProblem[] = [];
  for (const rule of rules) {
    const message = taken.has(rule.id) ? "the id is already taken by another rule" : invalid(rule);
    taken.add(rule.id);
    if (message === null) compiled.push(asRule(rule));
    else problems.push({ id: rule.id, message });
  }
  return { rules: compiled, problems };
}

function invalid(rule: CustomRule): string | null {
  if (!isSmall(rule.rule)) return `the rule object is deeper than ${MAX_DEPTH} or has more than ${MAX_VALUES} values`;
  try {
    for (const language of grammarsOf(rule)) parseText(language, "").findAll(asMatcher({ rule: rule.rule }));
    return null;
  } catch (error) {
    return causesOf(error);
  }
}

/** TypeScript rules also run on .tsx files, with that grammar. */
function grammarsOf(rule: CustomRule): string[] {
  return rule.language === "typescript" ? ["typescript", "tsx"] : [rule.language];
}

function asRule(rule: CustomRule): StructuralRule {
  return {
    id: rule.id,
    title: rule.message.replace(/\s+/g, " "),
    severity: rule.severity,
    category: "maintainability",
    confidence: 0.9,
    why: rule.note ?? "A rule of this repository says so.",
    fix: "",
    inTests: true,
    wholeFile: true,
    match: { [rule.language]: [{ rule: rule.rule }] },
  };
}

function isSmall(value: unknown): boolean {
  let level: unknown[] = [value];
  let values = 0;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    values += level.length;
    if (values > MAX_VALUES) return false;
    if (level.length === 0) return true;
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
  }
  return false;
}
