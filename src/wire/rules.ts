// Wires the rules and the readers of symbols.
import { codeSymbols } from "../adapters/code-index/symbols.ts";
import { compileCustomRules } from "../adapters/rules/custom.ts";
import { joinInspections } from "../adapters/rules/inspection.ts";
import { rulesInspector } from "../adapters/rules/inspector.ts";
import { type IsolatedInspector, isolatedInspector } from "../adapters/rules/isolated-inspector.ts";
import { inspectRepository } from "../adapters/rules/repository/inspect-repository.ts";
import type { RuleText } from "../adapters/rules/rule.ts";
import { EVERY_RULE, rulesVersion } from "../adapters/rules/rules.ts";
import type { KnownRules } from "../config/parse-config.ts";
import type { Symbols } from "../ports/symbols.ts";
import type { Inspector } from "../ports.ts";

/** Above so many files, a process of their own (1 s to start) gives back the grammars' memory. */
const MANY_FILES = 300;

/** The rules in this process; for a large change, in one of their own. */
export function inspector(): Inspector {
  const here = rulesInspector();
  return withRepository({
    async inspect(files, ...rest) {
      if (files.length <= MANY_FILES) return here.inspect(files, ...rest);
      const beside = isolatedInspector();
      try {
        return await beside.inspect(files, ...rest);
      } finally {
        beside.close();
      }
    },
  });
}

function withRepository({ inspect }: Inspector): Inspector {
  return {
    async inspect(files, settings, customRules, during) {
      const ofFiles = inspect(files, settings, customRules, during);
      const repository = during?.repository ?? null;
      if (repository === null) return ofFiles;
      return joinInspections(await Promise.all([ofFiles, inspectRepository(files, settings, repository)]));
    },
  };
}

/** The rules in a process of their own, so that a server can answer meanwhile. */
export function serverInspector(): IsolatedInspector {
  const beside = isolatedInspector();
  return { ...withRepository(beside), close: beside.close };
}

/** For one review. The child starts on first use, and ends when idle or with this process. */
export const symbolsOfReview: () => Symbols = codeSymbols().ofReview;

/** For checks of configurations: the built-in rules, and whether custom rules can run. */
export function knownRules(): Required<Omit<KnownRules, "unpriced">> {
  const ruleIds = new Set(EVERY_RULE.map(({ id }) => id));
  return { ruleIds, version: rulesVersion(), customRuleProblems: (rules) => compileCustomRules(rules).problems };
}

export function ruleText(id: string): Pick<RuleText, "title" | "why" | "fix" | "severity" | "category"> | null {
  return EVERY_RULE.find((rule) => rule.id === id) ?? null;
}
