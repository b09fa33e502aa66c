// The list of all rules. What they say, `docs/rules.md` and the tests of their examples all come from here.
import { createHash } from "node:crypto";
import { BUILD_RULES } from "./line/builds.ts";
import { HIDDEN_TEXT_RULES } from "./line/hidden-text.ts";
import { INFRASTRUCTURE_RULES } from "./line/infrastructure.ts";
import { LEFTOVER_RULES } from "./line/leftovers.ts";
import { SECRET_RULES } from "./line/secrets.ts";
import { SETTINGS_RULES } from "./line/settings.ts";
import { SQL_RULES } from "./line/sql.ts";
import { REPOSITORY_RULES } from "./repository/inspect-repository.ts";
import type { LineRule, RepositoryRule, Rule, RuleText } from "./rule.ts";
import { CONDITIONS } from "./structural/conditions.ts";
import { INJECTION } from "./structural/injection.ts";
import { LOST_RESULTS } from "./structural/lost-results.ts";
import { PROTECTION } from "./structural/protection.ts";
import { TRAPS } from "./structural/traps.ts";
import { WEB } from "./structural/web.ts";

/** Every rule that reads lines: no syntax tree, any language. */
export const LINE_RULES: readonly LineRule[] = [
  ...SECRET_RULES,
  ...HIDDEN_TEXT_RULES,
  ...INFRASTRUCTURE_RULES,
  ...BUILD_RULES,
  ...SQL_RULES,
  ...SETTINGS_RULES,
  ...LEFTOVER_RULES,
];

/** Every built-in rule that reads one file at a time, by id. */
export const FILE_RULES: readonly Rule[] = [
  ...INJECTION,
  ...WEB,
  ...PROTECTION,
  ...LOST_RESULTS,
  ...CONDITIONS,
  ...TRAPS,
  ...LINE_RULES,
].sort(byId);

/** These and those that read the repository, by id. */
export const EVERY_RULE: readonly (Rule | RepositoryRule)[] = [...FILE_RULES, ...REPOSITORY_RULES].sort(byId);

function byId(a: RuleText, b: RuleText): number {
  return a.id < b.id ? -1 : 1;
}

let version: string | null = null;

/**
 * 12 hex digits over every rule: its words, its syntax, and the source of its check as far as it stands in the rule itself.
 * Its examples change no finding and do not count.
 */
export function rulesVersion(): string {
  const plain = (key: string, value: unknown) => {
    if (key === "bad" || key === "good") return undefined;
    return typeof value === "function" || value instanceof RegExp ? String(value) : value;
  };
  version ??= createHash("sha256").update(JSON.stringify(EVERY_RULE, plain)).digest("hex").slice(0, 12);
  return version;
}
