// Merges texts of .kodiai.yml, weakest first: the configuration, its problems, and who set what.
import { VALUE_KEYS } from "./config-keys.ts";
import { didYouMean } from "./did-you-mean.ts";
import { bare, entriesAt, type FileReading, itemsAt, locate, without } from "./located.ts";
import { PRESETS, type Preset, presetValues } from "./preset.ts";
import { shown, type Trouble, trouble } from "./problems.ts";
import { readConfigFile } from "./read-config-file.ts";
import { type ConfigProblem, CustomRule, defaultConfig, RepoConfig } from "./repo-config.ts";

/** One file: `.kodiai.yml`, `acme/.github/.kodiai.yml`. */
export interface ConfigSource {
  readonly file: string;
  readonly text: string;
}

export interface ParsedConfig {
  readonly config: RepoConfig;
  /** The strongest file's first, by line; at most 50, and one that counts the rest. */
  readonly problems: readonly ConfigProblem[];
  /** Dotted key or rule → the file that set it, "preset NAME" or "default". */
  readonly origins: ReadonlyMap<string, string>;
}

/** More would bury the summary in which they are shown. */
const MAX_PROBLEMS = 50;

/**
 * Merges files into one configuration. Mappings merge key by key (`rules` by id), lists are
 * replaced. A wrong value counts as not written: that of a weaker file, of the preset, or the
 * default applies. Values are inert text.
 *
 * @param sources weakest first; none gives the defaults
 * @param known facts about rules, so that unknown ids and unusable custom rules are named too
 * @throws only what `known.customRuleProblems` throws
 */
export function parseConfig(sources: readonly ConfigSource[], known: KnownRules = {}): ParsedConfig {
  const read = sources.map(({ file, text }) => ({ file, ...checkCustomRules(readConfigFile(text), known) }));
  const files = withKnownRules(read, known).map(withOneStep);
  const { _extends, ...merged } = files.map(({ root }) => bare(root) as Values).reduce(merge, {});
  const preset = (Object.hasOwn(merged, "preset") ? merged.preset : "balanced") as Preset;
  const parsed = RepoConfig.safeParse(merge(PRESETS[preset], merged));
  const config = parsed.success ? parsed.data : defaultConfig();
  const held = config.review.model === "off" ? files : files.map((file) => withPricedBudgets(file, known));
  const isOver = held.some((file, at) => file !== files[at]);
  return {
    config: isOver ? { ...config, review: { ...config.review, model: "off" } } : config,
    problems: capped(held.toReversed().flatMap(inOrder)),
    origins: originsOf(files, preset),
  };
}

const BUDGETS = ["usdPerReview", "usdPerMonth", "outsiders.percentOfMonth"].map((key) => `review.budget.${key}`);

/** A budget that a file sets cannot hold for models without a price; they are not asked then. */
function withPricedBudgets(file: ReadFile, { unpriced = [] }: KnownRules): ReadFile {
  const set = BUDGETS.map((key) => key.split(".")).filter((path) => locate(file.root, path) !== null);
  if (unpriced.length === 0 || set.length === 0) return file;
  const message = `cannot hold, so no model is asked: ${noPriceOf(unpriced)}`;
  const troubles = set.map((path) => trouble(path, locate(file.root, path)?.place ?? null, message));
  return { ...file, troubles: [...file.troubles, ...troubles] };
}

/** Why no budget holds for these models, and what the operator can do. */
export function noPriceOf(models: readonly string[]): string {
  return `no price of ${models.map(shown).join(" and ")} is known; the operator sets KODIAI_MODEL_PRICE and KODIAI_SMALL_MODEL_PRICE, 0 if they cost nothing`;
}

interface ReadFile extends FileReading {
  readonly file: string;
}

/**
 * Leaves out settings of rules that do not exist. An earlier version may have had such a rule, so
 * it is no error: the rest of the file is as right as it was.
 */
function withKnownRules(files: readonly ReadFile[], known: KnownRules): readonly ReadFile[] {
  if (known.ruleIds === undefined) return files;
  const custom = files.flatMap(({ root }) => itemsAt(root, "customRules").map((item) => (bare(item) as CustomRule).id));
  const ids = new Set([...known.ruleIds, ...custom]);
  return files.map((file) => {
    // Which rules another tool has is not known here: `eslint/no-eval`.
    const unknown = entriesAt(file.root, "rules").filter(({ key }) => !ids.has(key) && !/^[a-z0-9][^/]*\/./.test(key));
    const wrong = unknown.map(({ key, keyPlace }, index) => {
      const near = index < MAX_SUGGESTIONS ? didYouMean(key, ids) : null;
      const fix =
        near === null ? "it may have been removed; docs/rules.md lists the rules" : `did you mean \`${near}\`?`;
      return trouble(["rules", key], keyPlace, `there is no rule \`${shown(key)}\`; ${fix}`, "notice");
    });
    const root = without(file.root, new Set(unknown.map(({ value }) => value)));
    return { ...file, root, troubles: [...file.troubles, ...wrong] };
  });
}

/** Only the strongest file's `_extends` is followed, and only one step. */
function withOneStep(file: ReadFile, index: number, files: readonly ReadFile[]): ReadFile {
  const value = locate(file.root, ["_extends"]);
  if (value === null || index === files.length - 1) return file;
  const message = "is followed in the repository's own file only, one step; here it does nothing";
  return { ...file, troubles: [...file.troubles, trouble(["_extends"], value.place, message, "notice")] };
}

type Values = Record<string, unknown>;

function merge(weaker: Values, stronger: Values): Values {
  // Not into an object: a key may be called __proto__.
  const merged = new Map(Object.entries(weaker));
  for (const [key, value] of Object.entries(stronger)) {
    const before = merged.get(key);
    merged.set(key, isMapping(before) && isMapping(value) ? merge(before, value) : value);
  }
  return Object.fromEntries(merged);
}

function isMapping(value: unknown): value is Values {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function inOrder({ file, troubles }: ReadFile): ConfigProblem[] {
  const byPlace = (a: Trouble, b: Trouble) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
  return troubles.toSorted(byPlace).map((found) => ({ file, ...found }));
}

function capped(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const rest = problems.slice(MAX_PROBLEMS);
  const [first] = rest;
  if (first === undefined) return problems;
  const severity = rest.some((problem) => problem.severity === "error") ? "error" : "notice";
  const more = { file: first.file, ...trouble([], null, `and ${rest.length.toLocaleString("en")} more`, severity) };
  return [...problems.slice(0, MAX_PROBLEMS), more];
}

function originsOf(files: readonly ReadFile[], preset: Preset): ReadonlyMap<string, string> {
  const origins = new Map(VALUE_KEYS.map(({ path }) => [path, "default"]));
  for (const { key } of presetValues(preset)) origins.set(key, `preset ${preset}`);
  for (const { file, root } of files) {
    for (const { path } of VALUE_KEYS) if (locate(root, path.split(".")) !== null) origins.set(path, file);
    for (const { key } of entriesAt(root, "rules")) origins.set(`rules.${key}`, file);
  }
  return origins;
}

/** Facts about rules and models that the caller knows. A check whose fact is missing is skipped. */
export interface KnownRules {
  /** Names of the models that would be asked and have no known price. */
  readonly unpriced?: readonly string[];
  readonly ruleIds?: ReadonlySet<string>;
  /** Changes whenever a built-in rule does. */
  readonly version?: string;
  /** Why custom rules cannot run ("pattern does not parse"), by the rule's id. */
  readonly customRuleProblems?: (rules: readonly CustomRule[]) => readonly { readonly id: string; message: string }[];
}

/** Unknown ids that get a "did you mean"; the problem list has a lower cap. */
const MAX_SUGGESTIONS = 50;

/** Leaves out custom rules whose id is already used or that cannot run, each with its reason. */
function checkCustomRules({ root, troubles }: FileReading, known: KnownRules): FileReading {
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
    troubles: [...troubles, ...wrong.map((rule) => rule.trouble)],
  };
}
