// The rules that read code, and what a configuration may say about them.
import { codeSymbols } from "../adapters/code-index/symbols.ts";
import { customRuleProblems } from "../adapters/rules/custom.ts";
import { rulesInspector } from "../adapters/rules/inspector.ts";
import { type IsolatedInspector, isolatedInspector } from "../adapters/rules/isolated-inspector.ts";
import { ruleIds, rulesVersion } from "../adapters/rules/rules.ts";
import type { KnownRules } from "../config/check-rules.ts";
import { ADVISORY_RULE } from "../domain/dependency-update.ts";
import type { Symbols } from "../ports/symbols.ts";
import type { Inspector } from "../ports.ts";

/** The rules, loaded once a process. */
export function inspector(): Inspector {
  return rulesInspector();
}

/** The rules in a process of their own, for a server that has to answer meanwhile. */
export function serverInspector(): IsolatedInspector {
  return isolatedInspector();
}

/** Names in code, read by a process that starts when first asked. */
export function symbols(): Symbols {
  return codeSymbols();
}

/** What the configuration is checked against: the built-in rules, and whether custom rules can run. */
export function knownRules(): Required<KnownRules> {
  return { ruleIds: new Set([...ruleIds(), ADVISORY_RULE]), version: rulesVersion(), customRuleProblems };
}
