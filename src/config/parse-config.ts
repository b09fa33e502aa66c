// Merges the texts of .kodiai.yml, weakest first, into one complete configuration, its problems, and the origin of each value.
import { checkCustomRules, checkRuleIds, type KnownRules } from "./check-rules.ts";
import { CONFIG_KEYS } from "./config-keys.ts";
import { bare, type Located, locate, type Trouble, trouble } from "./located.ts";
import { PRESETS, type Preset, presetValues } from "./preset.ts";
import { type FileReading, readConfigFile } from "./read-config-file.ts";
import { type ConfigProblem, defaultConfig, RepoConfig } from "./repo-config.ts";

/** One file: `.kodiai.yml`, `acme/.github/.kodiai.yml`. */
export interface ConfigSource {
  readonly file: string;
  readonly text: string;
}

export interface ParsedConfig {
  readonly config: RepoConfig;
  /** The strongest file's first, each file's in the order of its lines; at most 50 and a last one that counts the rest. */
  readonly problems: readonly ConfigProblem[];
  /** Dotted key → the file that set it, "preset NAME" or "default". Has every key of the schema, and each rule. */
  readonly origins: ReadonlyMap<string, string>;
}

/** More would bury the summary in which they are shown. */
const MAX_PROBLEMS = 50;

/** Keys of the configuration itself: without `_extends` and those of list items. */
const ORIGIN_KEYS = CONFIG_KEYS.map((key) => key.path).filter((path) => path !== "_extends" && !path.includes("[]"));

/**
 * Merges files into one configuration. Mappings merge key by key (so `rules` merge by id), lists are replaced.
 * A wrong value counts as not written: a weaker file's value, the preset's or the default applies. Values are inert text.
 *
 * @param sources weakest first; none gives the defaults
 * @param known facts about rules, so that unknown ids and custom rules that cannot run are named too
 * @throws only what `known.customRuleProblems` throws
 */
export function parseConfig(sources: readonly ConfigSource[], known: KnownRules = {}): ParsedConfig {
  const read = sources.map(({ file, text }) => ({ file, reading: checkCustomRules(readConfigFile(text), known) }));
  const files = withKnownRules(read, known).map(withOneStep);
  const roots = files.map(({ reading }) => withoutExtends(reading.root));
  const merged = roots.reduce<Record<string, unknown>>((weaker, stronger) => merge(weaker, stronger), {});
  const preset = Object.hasOwn(merged, "preset") ? (merged.preset as Preset) : "balanced";
  const parsed = RepoConfig.safeParse(merge(PRESETS[preset], merged));
  return {
    config: parsed.success ? parsed.data : defaultConfig(),
    problems: capped(files.toReversed().flatMap(({ file, reading }) => inOrder(reading.troubles, file))),
    origins: originsOf(files, preset),
  };
}

interface ReadFile {
  readonly file: string;
  readonly reading: FileReading;
}

function withKnownRules(files: readonly ReadFile[], known: KnownRules): readonly ReadFile[] {
  if (known.ruleIds === undefined) return files;
  const ids = new Set([...known.ruleIds, ...files.flatMap(({ reading }) => customRuleIds(reading.root))]);
  return files.map(({ file, reading }) => ({ file, reading: checkRuleIds(reading, ids) }));
}

function customRuleIds(root: Located | null): string[] {
  const list = root === null ? null : locate(root, ["customRules"]);
  return list?.kind === "list" ? list.items.map((item) => (bare(item) as { id: string }).id) : [];
}

/** Only the strongest file's `_extends` is followed, and only one step. */
function withOneStep({ file, reading }: ReadFile, index: number, files: readonly ReadFile[]): ReadFile {
  const value = reading.root === null ? null : locate(reading.root, ["_extends"]);
  if (value === null || index === files.length - 1) return { file, reading };
  const message = "is followed in the repository's own file only, one step; here it does nothing";
  const ignored = trouble(["_extends"], value.place, message, "notice");
  return { file, reading: { ...reading, troubles: [...reading.troubles, ignored] } };
}

function withoutExtends(root: Located | null): Record<string, unknown> {
  if (root === null) return {};
  const { _extends, ...rest } = bare(root) as Record<string, unknown>;
  return rest;
}

function merge(weaker: Record<string, unknown>, stronger: Record<string, unknown>): Record<string, unknown> {
  const merged = new Map(Object.entries(weaker));
  for (const [key, value] of Object.entries(stronger)) {
    const before = merged.get(key);
    merged.set(key, isMapping(before) && isMapping(value) ? merge(before, value) : value);
  }
  return Object.fromEntries(merged);
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function inOrder(troubles: readonly Trouble[], file: string): ConfigProblem[] {
  const at = (found: Trouble) => [found.line ?? 0, found.column ?? 0] as const;
  return troubles.toSorted((a, b) => at(a)[0] - at(b)[0] || at(a)[1] - at(b)[1]).map((found) => ({ file, ...found }));
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
  const origins = new Map(ORIGIN_KEYS.map((key) => [key, "default"]));
  for (const { key } of presetValues(preset)) origins.set(key, `preset ${preset}`);
  for (const { file, reading } of files) {
    for (const key of reading.root === null ? [] : keysSet(reading.root)) origins.set(key, file);
  }
  return origins;
}

function keysSet(root: Located): readonly string[] {
  const rules = locate(root, ["rules"]);
  const ruleKeys = rules?.kind === "mapping" ? rules.entries.map((entry) => `rules.${entry.key}`) : [];
  return [...ORIGIN_KEYS.filter((key) => locate(root, key.split(".")) !== null), ...ruleKeys];
}
