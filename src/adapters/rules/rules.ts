// The list of all rules. What they say, `docs/rules.md` and the tests of their examples all come from here.
import { LINE_RULES } from "./line/line-rules.ts";
import type { Rule } from "./rule.ts";
import { STRUCTURAL_RULES } from "./structural/structural-rules.ts";

const ALL: readonly Rule[] = [...STRUCTURAL_RULES, ...LINE_RULES].sort((a, b) => (a.id < b.id ? -1 : 1));

/** Every built-in rule, by id. */
export function allRules(): readonly Rule[] {
  return ALL;
}

/** The ids that `rules` of `.kodiai.yml` may name, besides those of custom rules. */
export function ruleIds(): readonly string[] {
  return ALL.map((rule) => rule.id);
}
