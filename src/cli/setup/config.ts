// kodiai config: checks a file, prints effective values, explains a key, prints the JSON Schema.

import { lstatSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { CONFIG_KEYS, type ConfigKey, configJsonSchema, schemaAt } from "../../config/config-keys.ts";
import { valueAt } from "../../config/config-view.ts";
import { plainWord } from "../../config/did-you-mean.ts";
import { type ParsedConfig, parseConfig } from "../../config/parse-config.ts";
import { problemLine } from "../../config/problems.ts";
import { keyHint } from "../../config/read-config-file.ts";
import type { ConfigProblem } from "../../config/repo-config.ts";
import { UsageError } from "../../config/usage-error.ts";
import { counted } from "../../domain/text/counted.ts";
import { isFolder } from "../../environment/data-dir.ts";
import { unreadProblem } from "../../gather/gather.ts";
import { configHere, configOnGitHub, entriesIn } from "../../wire/cli/config.ts";
import { knownRules } from "../../wire/rules.ts";
import { clipped, terminalText } from "../terminal-text.ts";
import { type ExitCode, fileText, printed, type readWords, repoFolder, verb } from "../usage.ts";
import type { VERBS } from "../verbs.ts";

type Words = ReturnType<typeof readWords<typeof VERBS.config.options>>["values"];

/** @throws UsageError */
export const config = verb("config", 2, async (values, [verb = "show", word]) => {
  if (verb === "schema" && word === undefined) {
    console.log(JSON.stringify(configJsonSchema(), null, 2));
    return 0;
  }
  if (verb === "check" && word !== undefined && values.repo !== undefined)
    throw new UsageError("`config check` takes FILE or --repo PATH, not both");
  if (verb === "check") return check(word ?? (await fileIn(values.repo ?? ".")), values);
  if (verb === "show" && word === undefined) return show(values);
  if (verb === "explain" && word !== undefined) return explain(word, values);
  throw new UsageError("write `config show`, `config explain KEY`, `config check [FILE]` or `config schema`");
});

async function show(words: Words): Promise<ExitCode> {
  const { name, notRead, parsed } = await configOf(words.repo);
  const { problems, used } = parsed;
  printed(words, { repository: name, used, values: configValues(parsed), problems, notRead }, () =>
    [
      terminalText(`# ${used}`),
      ...configLines(parsed, words.all === true),
      ...problems.map((problem) => terminalText(problemLine(problem))),
      ...(notRead === null ? [] : [`not read: ${notRead}`]),
    ].join("\n"),
  );
  return codeOf(problems);
}

async function explain(key: string, words: Words): Promise<ExitCode> {
  const { notRead, parsed } = await configOf(words.repo);
  const explained = configExplanation(key, parsed);
  if ("problem" in explained) throw new UsageError(explained.problem);
  const lines = [...explained.lines, ...(notRead === null ? [] : [`not read: ${notRead}`])];
  return printed(words, { keys: explained.keys, notRead }, () => lines.join("\n"));
}

/** Of a clone, or of OWNER/NAME on GitHub. @throws UsageError */
async function configOf(word: string | undefined) {
  if (word !== undefined && !isFolder(word)) return { name: word, ...(await configOnGitHub(word)) };
  const folder = repoFolder(word);
  return { name: folder, ...(await configHere(folder)) };
}

/** @throws UsageError for a folder without a `.kodiai.yml` */
async function fileIn(folder: string): Promise<string> {
  const whole = repoFolder(folder);
  const file = join(folder, ".kodiai.yml");
  const isRead = lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
  const [problem] = isRead ? [] : (await entriesIn(folder)).flatMap(unreadProblem);
  if (problem !== undefined) throw new UsageError(`${problem.file} ${problem.message}`);
  if (!isRead) throw new UsageError(`no .kodiai.yml in ${whole}; \`kodiai init\` writes one`);
  return file;
}

function check(file: string, words: Words): ExitCode {
  const { problems } = parseConfig([{ file, text: fileText(file) }], knownRules());
  const page = () => problems.map((problem) => terminalText(problemLine(problem))).join("\n");
  printed(words, { problems }, () => page() || `${file}: no problems`);
  return codeOf(problems);
}

function codeOf(problems: readonly ConfigProblem[]): ExitCode {
  return problems.some(({ severity }) => severity === "error") ? 2 : 0;
}

type Effective = Pick<ParsedConfig, "config" | "origins">;

type ExplainedKey = ReturnType<typeof explainedKey>;

/**
 * Every key, and each rule that a file sets; keys of list items are part of their lists. `value`
 * is null when nothing is set and there is no default; `origin` is a file, `preset NAME` or
 * `default`.
 */
export function configValues({ config, origins }: Effective) {
  return [...origins].map(([key, origin]) => ({ key, value: valueAt(config, key), origin }));
}

/** A line with its origin for each key and rule that is set. @param all also those at default */
export function configLines(effective: Effective, all: boolean): readonly string[] {
  const values = configValues(effective);
  const set = all ? values : values.filter(({ origin }) => origin !== "default");
  const rest = values.length - set.length;
  const shown = set.map(({ key, value, origin }) => ({ text: `${key}: ${valueText(value)}`, origin }));
  const width = Math.min(60, Math.max(0, ...shown.map(({ text }) => text.length)));
  return [
    ...shown.map(({ text, origin }) => terminalText(`${text.padEnd(width)}  # ${origin}`)),
    ...(rest === 0 ? [] : [`${counted(rest, "key")} at the default; --all prints ${rest === 1 ? "it" : "them"}`]),
  ];
}

/** Of a section: its keys. @param word `review`, `rules.weak-hash`, `customRules[].id` */
export function configExplanation(word: string, effective: Effective) {
  const rule = /^rules\.(.{1,100})$/.exec(word)?.[1];
  const wanted = rule === undefined ? plainWord(word) : "rules";
  const keys = CONFIG_KEYS.filter(({ path }) => `${plainWord(path)}.`.startsWith(`${wanted}.`));
  if (keys.length === 0) return { problem: unknownKey(word) };
  const explained = keys.map((key) => explainedKey(rule === undefined ? key.path : word, key, effective));
  const [first] = explained;
  if (first !== undefined && plainWord(first.key) === plainWord(word)) {
    return { keys: [first], lines: keyLines(first).map(terminalText) };
  }
  const depth = wanted.split(".").length;
  const section = first?.key.split(".").slice(0, depth).join(".") ?? wanted;
  const about = schemaAt(section)?.description ?? "";
  const lines = explained.map(({ key, value, origin }) => `  ${key}: ${valueText(value)}  # ${origin}`);
  return {
    keys: explained,
    lines: [`${section}: ${about}`, "", ...lines, "", "More of each: kodiai config explain KEY"].map(terminalText),
  };
}

function explainedKey(key: string, { type, description, example, default: fallback }: ConfigKey, effective: Effective) {
  const origin = effective.origins.get(key) ?? (key.includes("[]") ? "see its list" : "default");
  const value = key.includes("[]") ? null : valueAt(effective.config, key);
  return { key, value, origin, type, default: fallback ?? null, description, example };
}

function keyLines({ key, value, origin, type, description, ...of }: ExplainedKey): readonly string[] {
  const example = stringify(nested(key.replaceAll("[]", "").split("."), of.example), { lineWidth: 0 });
  return [
    key,
    `  ${description}`,
    "",
    `  type:    ${type.replaceAll("`", "")}`,
    `  default: ${of.default === null ? "none" : valueText(of.default)}`,
    ...(key.includes("[]") ? [] : [`  here:    ${valueText(value)}  (from: ${origin})`]),
    "  example:",
    example.trimEnd().replace(/^/gm, "    "),
  ];
}

function nested(path: readonly string[], value: unknown): unknown {
  const [first, ...rest] = path;
  return first === undefined ? value : { [first]: nested(rest, value) };
}

function unknownKey(word: string): string {
  // `a.b.c` → `a`, `a.b`, `a.b.c`.
  const sections = (parts: readonly string[]) => parts.map((_, at) => parts.slice(0, at + 1).join("."));
  const paths = [...new Set(CONFIG_KEYS.flatMap(({ path }) => sections(path.split("."))))];
  const near = keyHint(word, paths, "");
  const fix = near === null ? "docs/configuration.md lists them" : `did you mean ${near}?`;
  return `${JSON.stringify(word)} is not a key of .kodiai.yml; ${fix}`;
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return "(not set)";
  return clipped(typeof value === "string" ? value : JSON.stringify(value), 200);
}
