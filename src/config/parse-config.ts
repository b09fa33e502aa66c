// Merges the texts of .kodiai.yml, weakest first, into one complete configuration, its problems, and the origin of each value.
import { checkCustomRules, checkRuleIds, type KnownRules } from "./check-rules.ts";
import { CONFIG_KEYS } from "./config-keys.ts";
import { bare, entriesAt, type FileReading, itemsAt, locate, type Mapping, type Trouble, trouble } from "./located.ts";
import { PRESETS, type Preset, presetValues } from "./preset.ts";
import { readConfigFile } from "./read-config-file.ts";
import { type ConfigProblem, type CustomRule, defaultConfig, RepoConfig } from "./repo-config.ts";

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
  const read = sources.map(({ file, text }) => ({ file, ...checkCustomRules(readConfigFile(text), known) }));
  const files = withKnownRules(read, known).map(withOneStep);
  const merged = files.map(valuesOf).reduce(merge, {});
  const preset = Object.hasOwn(merged, "preset") ? (merged.preset as Preset) : "balanced";
  const parsed = RepoConfig.safeParse(merge(PRESETS[preset], merged));
  return {
    config: parsed.success ? parsed.data : defaultConfig(),
    problems: capped(files.toReversed().flatMap(inOrder)),
    origins: originsOf(files, preset),
  };
}

interface ReadFile extends FileReading {
  readonly file: string;
}

function withKnownRules(files: readonly ReadFile[], known: KnownRules): readonly ReadFile[] {
  if (known.ruleIds === undefined) return files;
  const custom = files.flatMap(({ root }) => itemsAt(root, "customRules").map((item) => (bare(item) as CustomRule).id));
  const ids = new Set([...known.ruleIds, ...custom]);
  return files.map((file) => ({ ...file, ...checkRuleIds(file, ids) }));
}

/** Only the strongest file's `_extends` is followed, and only one step. */
function withOneStep(file: ReadFile, index: number, files: readonly ReadFile[]): ReadFile {
  const value = locate(file.root, ["_extends"]);
  if (value === null || index === files.length - 1) return file;
  const message = "is followed in the repository's own file only, one step; here it does nothing";
  return { ...file, troubles: [...file.troubles, trouble(["_extends"], value.place, message, "notice")] };
}

function valuesOf({ root }: ReadFile): Record<string, unknown> {
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
  const origins = new Map(ORIGIN_KEYS.map((key) => [key, "default"]));
  for (const { key } of presetValues(preset)) origins.set(key, `preset ${preset}`);
  for (const { file, root } of files) {
    for (const key of keysSet(root)) origins.set(key, file);
  }
  return origins;
}

function keysSet(root: Mapping): readonly string[] {
  const rules = entriesAt(root, "rules").map((entry) => `rules.${entry.key}`);
  return [...ORIGIN_KEYS.filter((key) => locate(root, key.split(".")) !== null), ...rules];
}
