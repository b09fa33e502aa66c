// A repository's own ast-grep rules, checked first: a mistake becomes a named problem.
import type { SgNode } from "@ast-grep/napi";
import type { CustomRule } from "../../config/repo-config.ts";
import { parseText } from "../grammars.ts";
import type { StructuralRule } from "./rule.ts";
import { causesOf } from "./syntax.ts";

/** Ours stay below 60 values. Keeps YAML's aliases from growing or closing a circle. */
const MAX_VALUES = 1_000;
const MAX_DEPTH = 30;

/**
 * Custom rules as rules of ours.
 *
 * @param builtIn ids that are taken
 * @returns one problem for each rule that cannot be used, in the order of the rules: its id is used
 *   twice or by a built-in rule, or ast-grep refuses its rule object
 */
export function compileCustomRules(rules: readonly CustomRule[], builtIn: ReadonlySet<string> = new Set()) {
  const taken = new Set(builtIn);
  const compiled: StructuralRule[] = [];
  const problems: { readonly id: string; readonly message: string }[] = [];
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
    // TypeScript rules also run on .tsx files, with that grammar.
    const languages = rule.language === "typescript" ? ["typescript", "tsx"] : [rule.language];
    for (const language of languages) parseText(language, "").findAll({ rule: rule.rule });
    return unfinished(rule, languages);
  } catch (error) {
    return causesOf(error);
  }
}

/** `$NAME`, `$_`, `$$$ARGS`: any code, which stands here as a name. */
const PLACEHOLDER = /\$+(?:[A-Z_][A-Z0-9_]*)?/g;

/** ast-grep takes a pattern with a syntax error, and then finds nothing with it. */
function unfinished({ language, rule }: CustomRule, languages: readonly string[]): string | null {
  const isBroken = (grammar: string, pattern: string) => {
    const code = parseText(grammar, pattern.replaceAll(PLACEHOLDER, "kodiai"));
    return code.find({ rule: { kind: "ERROR" } }) !== null || lacksToken(code);
  };
  const broken = patternsIn(rule).find((pattern) => languages.every((grammar) => isBroken(grammar, pattern)));
  if (broken === undefined) return null;
  const quoted = broken.replaceAll("`", "'").replace(/\s+/g, " ");
  return `the pattern \`${quoted}\` is no complete ${language} code, so it would find nothing; complete it, or write \`context\` and \`selector\``;
}

/** tree-sitter puts an empty token where one is missing; ast-grep needs no `;`. */
function lacksToken(node: SgNode): boolean {
  const children = node.children();
  if (children.length > 0) return children.some(lacksToken);
  return node.text() === "" && !node.isNamed() && node.kind() !== ";";
}

/** Those of a rule object and of the rules in it. */
function patternsIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]): readonly string[] => {
    if (key !== "pattern") return patternsIn(inner);
    if (typeof inner === "string") return [inner];
    const { context } = (inner ?? {}) as { readonly context?: unknown };
    return typeof context === "string" ? [context] : [];
  });
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
    match: { [rule.language]: rule.rule },
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
