// All rules. `docs/rules.md` and the tests of their cases come from here.
import { createHash } from "node:crypto";
import { HIDDEN_TEXT_RULES } from "./line/hidden-text.ts";
import { LEFTOVER_RULES } from "./line/leftovers.ts";
import { PROTECTION_RULES } from "./line/protection.ts";
import { SECRET_RULES } from "./line/secrets.ts";
import { SQL_RULES } from "./line/sql.ts";
import { WORKFLOW_RULES } from "./line/workflows.ts";
import { REPOSITORY_RULES } from "./repository/inspect-repository.ts";
import type { RepositoryRule, Rule } from "./rule.ts";
import { FORGOTTEN } from "./structural/forgotten.ts";
import { INJECTION } from "./structural/injection.ts";
import { WEB } from "./structural/web.ts";

/** Every built-in rule that reads one file at a time. */
export const FILE_RULES: readonly Rule[] = [
  ...FORGOTTEN,
  ...HIDDEN_TEXT_RULES,
  ...INJECTION,
  ...LEFTOVER_RULES,
  ...PROTECTION_RULES,
  ...SECRET_RULES,
  ...SQL_RULES,
  ...WEB,
  ...WORKFLOW_RULES,
];

/** These and those that read the repository, by id. */
export const EVERY_RULE: readonly (Rule | RepositoryRule)[] = [...FILE_RULES, ...REPOSITORY_RULES].sort((a, b) =>
  a.id < b.id ? -1 : 1,
);

let version: string | null = null;

/**
 * 12 hex digits over every rule: its words, its syntax, and the source of its check as far as it
 * stands in the rule itself.
 */
export function rulesVersion(): string {
  const plain = (_key: string, value: unknown) =>
    typeof value === "function" || value instanceof RegExp ? String(value) : value;
  version ??= createHash("sha256").update(JSON.stringify(EVERY_RULE, plain)).digest("hex").slice(0, 12);
  return version;
}
