// Checks of rules that the schema cannot make: which ids exist, and whether a custom rule's pattern is valid.
import { didYouMean } from "./did-you-mean.ts";
import { bare, type Entry, type Located, locate, shown, type Trouble, trouble } from "./located.ts";
import type { FileReading } from "./read-config-file.ts";
import { CustomRule } from "./repo-config.ts";

/** Facts about rules that the caller knows. A check whose fact is missing is skipped. */
export interface KnownRules {
  /** Ids of the built-in rules. */
  readonly ruleIds?: ReadonlySet<string>;
  /** Changes whenever a built-in rule does. */
  readonly version?: string;
  /** Why custom rules cannot run ("pattern does not parse"), by the rule's id. */
  readonly customRuleProblems?: (rules: readonly CustomRule[]) => readonly { readonly id: string; message: string }[];
}

/** Unknown ids that get a "did you mean"; the problem list has a lower cap. */
const MAX_SUGGESTIONS = 50;

/**
 * Leaves out custom rules whose id is already used or that cannot run, each with its reason.
 *
 * @throws only what `known.customRuleProblems` throws
 */
export function checkCustomRules(reading: FileReading, known: KnownRules): FileReading {
  const list = reading.root === null ? null : locate(reading.root, ["customRules"]);
  if (reading.root === null || list === null || list.kind !== "list") return reading;
  const rules = list.items.map((item) => ({ item, rule: CustomRule.parse(bare(item)) }));
  const cannotRun = new Map(
    (known.customRuleProblems?.(rules.map(({ rule }) => rule)) ?? []).map(({ id, message }) => [id, message]),
  );
  const used = new Set(known.ruleIds);
  const troubles: Trouble[] = [];
  const items = rules.flatMap(({ item, rule }) => {
    const isDuplicate = used.has(rule.id);
    const wrong = isDuplicate ? `another rule is called \`${rule.id}\`; choose another id` : cannotRun.get(rule.id);
    used.add(rule.id);
    if (wrong === undefined) return [item];
    const key = isDuplicate ? "id" : "rule";
    troubles.push(trouble(["customRules", rule.id], locate(item, [key])?.place ?? item.place, wrong));
    return [];
  });
  const root = withEntry(reading.root, "customRules", { ...list, items });
  return { root, troubles: [...reading.troubles, ...troubles] };
}

/** Leaves out settings of rules that do not exist. `ids` are those of all rules, including custom ones. */
export function checkRuleIds(reading: FileReading, ids: ReadonlySet<string>): FileReading {
  const settings = reading.root === null ? null : locate(reading.root, ["rules"]);
  if (reading.root === null || settings === null || settings.kind !== "mapping") return reading;
  const unknown = settings.entries.filter((entry) => !ids.has(entry.key));
  const troubles = unknown.map((entry, index) => unknownRule(entry, index < MAX_SUGGESTIONS ? ids : new Set()));
  const entries = settings.entries.filter((entry) => ids.has(entry.key));
  const root = withEntry(reading.root, "rules", { ...settings, entries });
  return { root, troubles: [...reading.troubles, ...troubles] };
}

function unknownRule(entry: Entry, ids: ReadonlySet<string>): Trouble {
  const near = didYouMean(entry.key, ids);
  const fix = near === null ? "docs/rules.md lists the rules" : `did you mean \`${near}\`?`;
  return trouble(["rules", entry.key], entry.keyPlace, `there is no rule \`${shown(entry.key)}\`; ${fix}`);
}

function withEntry(root: Located, key: string, value: Located): Located {
  if (root.kind !== "mapping") return root;
  return { ...root, entries: root.entries.map((entry) => (entry.key === key ? { ...entry, value } : entry)) };
}
