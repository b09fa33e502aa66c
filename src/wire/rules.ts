// Wires the rules and the readers of symbols.
import { codeSymbols, type OpenSymbols } from "../adapters/code-index/symbols.ts";
import { customRuleProblems } from "../adapters/rules/custom.ts";
import { rulesInspector } from "../adapters/rules/inspector.ts";
import { type IsolatedInspector, parallelInspector } from "../adapters/rules/isolated-inspector.ts";
import type { RuleText } from "../adapters/rules/rule.ts";
import { allRules, ruleIds, rulesVersion } from "../adapters/rules/rules.ts";
import type { KnownRules } from "../config/check-rules.ts";
import { ADVISORY_RULE } from "../domain/dependency-update.ts";
import type { Inspector } from "../ports.ts";

/** Above so many files, rules run in extra processes, which take a second to start. */
const MANY_FILES = 300;

/** The rules in this process; for a large change, in one process per core. */
export function inspector(): Inspector {
  const here = rulesInspector();
  return {
    async inspect(files, ...rest) {
      if (files.length <= MANY_FILES) return here.inspect(files, ...rest);
      const beside = parallelInspector();
      try {
        return await beside.inspect(files, ...rest);
      } finally {
        beside.close();
      }
    },
  };
}

/** The rules in a process of their own, so that a server can answer meanwhile. */
export function serverInspector(): IsolatedInspector {
  return parallelInspector();
}

/** The symbol reader, in a process that starts on first use. */
export function symbols(): OpenSymbols {
  return codeSymbols();
}

/** For checks of configurations: the built-in rules, and whether custom rules can run. */
export function knownRules(): Required<KnownRules> {
  return { ruleIds: new Set([...ruleIds(), ADVISORY_RULE]), version: rulesVersion(), customRuleProblems };
}

/** The texts of a built-in rule, or null for an unknown id. */
export function ruleText(id: string): Pick<RuleText, "title" | "why" | "fix" | "severity" | "category"> | null {
  return allRules().find((rule) => rule.id === id) ?? null;
}
