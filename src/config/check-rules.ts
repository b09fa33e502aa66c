// Checks of rules that the schema cannot make: which ids exist, and whether a custom rule's pattern is valid.
import { didYouMean } from "./did-you-mean.ts";
import {
  bare,
  type Entry,
  entriesAt,
  type FileReading,
  itemsAt,
  locate,
  shown,
  type Trouble,
  trouble,
  without,
} from "./located.ts";
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
export function checkCustomRules({ root, troubles }: FileReading, known: KnownRules): FileReading {
  const rules = itemsAt(root, "customRules").map((item) => ({ item, rule: CustomRule.parse(bare(item)) }));
  const cannotRun = new Map(
    known.customRuleProblems?.(rules.map(({ rule }) => rule)).map(({ id, message }) => [id, message]),
  );
  const used = new Set(known.ruleIds);
  const wrong = rules.flatMap(({ item, rule: { id } }) => {
    const isDuplicate = used.has(id);
    used.add(id);
    const message = isDuplicate ? `another rule is called \`${id}\`; choose another id` : cannotRun.get(id);
    const at = locate(item, [isDuplicate ? "id" : "rule"]) ?? item;
    return message === undefined ? [] : [{ item, trouble: trouble(["customRules", id], at.place, message) }];
  });
  return {
    root: without(root, new Set(wrong.map(({ item }) => item))),
    troubles: [...troubles, ...wrong.map((one) => one.trouble)],
  };
}

/** Leaves out settings of rules that do not exist. `ids` are those of all rules, including custom ones. */
export function checkRuleIds({ root, troubles }: FileReading, ids: ReadonlySet<string>): FileReading {
  const unknown = entriesAt(root, "rules").filter((entry) => !ids.has(entry.key));
  const wrong = unknown.map((entry, index) => unknownRule(entry, index < MAX_SUGGESTIONS ? ids : new Set()));
  return { root: without(root, new Set(unknown.map(({ value }) => value))), troubles: [...troubles, ...wrong] };
}

function unknownRule(entry: Entry, ids: ReadonlySet<string>): Trouble {
  const near = didYouMean(entry.key, ids);
  const fix = near === null ? "docs/rules.md lists the rules" : `did you mean \`${near}\`?`;
  return trouble(["rules", entry.key], entry.keyPlace, `there is no rule \`${shown(entry.key)}\`; ${fix}`);
}
