// The list of all rules. What they say, `docs/rules.md` and the tests of their examples all come from here.
import { createHash } from "node:crypto";
import { LINE_RULES } from "./line/line-rules.ts";
import { REPOSITORY_RULES } from "./repository/inspect-repository.ts";
import type { RepositoryRule, Rule } from "./rule.ts";
import { STRUCTURAL_RULES } from "./structural/structural-rules.ts";

const ALL: readonly Rule[] = [...STRUCTURAL_RULES, ...LINE_RULES].sort((a, b) => (a.id < b.id ? -1 : 1));

const EVERY: readonly (Rule | RepositoryRule)[] = [...ALL, ...REPOSITORY_RULES].sort((a, b) => (a.id < b.id ? -1 : 1));

/** Every built-in rule that reads one file at a time, by id. */
export function allRules(): readonly Rule[] {
  return ALL;
}

/** These and those that read the repository, by id. */
export function everyRule(): readonly (Rule | RepositoryRule)[] {
  return EVERY;
}

/** The ids that `rules` of `.kodiai.yml` may name, besides those of custom rules. */
export function ruleIds(): readonly string[] {
  return EVERY.map((rule) => rule.id);
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
  version ??= createHash("sha256").update(JSON.stringify(EVERY, plain)).digest("hex").slice(0, 12);
  return version;
}
