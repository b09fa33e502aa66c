// kodiai config: checks a file, prints each effective value with its source, or prints the JSON Schema.

import { lstatSync } from "node:fs";
import { join, resolve } from "node:path";
import { configJsonSchema } from "../../config/config-keys.ts";
import { valueAt } from "../../config/config-view.ts";
import { problemLine } from "../../config/located.ts";
import { type ParsedConfig, parseConfig } from "../../config/parse-config.ts";
import type { ConfigProblem } from "../../config/repo-config.ts";
import { UsageError } from "../../config/usage-error.ts";
import { counted } from "../../domain/text/counted.ts";
import { isFolder } from "../../environment/data-dir.ts";
import { unreadProblem } from "../../gather/gather.ts";
import { configVerbPorts, entriesIn } from "../../wire/cli/config.ts";
import { knownRules } from "../../wire/rules.ts";
import { clipped, terminalText } from "../terminal-text.ts";
import { type ExitCode, fileText, printed, readWords, wantsJson } from "../usage.ts";
import { VERBS } from "../verbs.ts";

type ConfigPorts = Awaited<ReturnType<typeof configVerbPorts>>;

/** @throws UsageError */
export async function config(words: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = readWords(words, VERBS.config.options, 2);
  const [verb = "show", word] = positionals;
  const asJson = wantsJson(values);
  if (verb === "schema" && word === undefined) {
    console.log(JSON.stringify(configJsonSchema(), null, 2));
    return 0;
  }
  if (verb === "check" && word !== undefined && values.repo !== undefined)
    throw new UsageError("`config check` takes FILE or --repo PATH, not both");
  if (verb === "check") return check(word ?? (await fileIn(values.repo ?? ".")), asJson);
  if (verb === "show" && word === undefined)
    return show(await configVerbPorts(values.repo), asJson, values.all === true);
  throw new UsageError("write `config show`, `config check [FILE]` or `config schema`");
}

async function show({ name, notRead, read }: ConfigPorts, asJson: boolean, all: boolean): Promise<ExitCode> {
  const parsed = await read();
  const { problems, used } = parsed;
  printed(asJson, { repository: name, used, values: configValues(parsed), problems, notRead }, () =>
    [
      terminalText(`# ${used}`),
      ...configLines(parsed, all),
      ...problems.map((problem) => terminalText(problemLine(problem))),
      ...(notRead === null ? [] : [`not read: ${notRead}`]),
    ].join("\n"),
  );
  return codeOf(problems);
}

/** @throws UsageError if it is not a folder with a `.kodiai.yml` */
async function fileIn(folder: string): Promise<string> {
  if (!isFolder(folder))
    throw new UsageError(`${folder} is not a folder; \`kodiai config show\` also reads OWNER/NAME on GitHub`);
  const file = join(folder, ".kodiai.yml");
  const isRead = lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
  const [problem] = isRead ? [] : (await entriesIn(folder)).flatMap(unreadProblem);
  if (problem !== undefined) throw new UsageError(`${problem.file} ${problem.message}`);
  if (!isRead) throw new UsageError(`no .kodiai.yml in ${resolve(folder)}; \`kodiai init\` writes one`);
  return file;
}

function check(file: string, asJson: boolean): ExitCode {
  const { problems } = parseConfig([{ file, text: fileText(file) }], knownRules());
  const page = () => problems.map((problem) => terminalText(problemLine(problem))).join("\n");
  printed(asJson, { problems }, () => page() || `${file}: no problems`);
  return codeOf(problems);
}

function codeOf(problems: readonly ConfigProblem[]): ExitCode {
  return problems.some(({ severity }) => severity === "error") ? 2 : 0;
}

type Effective = Pick<ParsedConfig, "config" | "origins">;

/**
 * Every key of the configuration, and each rule that a file sets; keys of list items are part of their lists. `value` is null when
 * nothing is set and there is no default; `origin` is a file, `preset NAME` or `default`.
 */
export function configValues({ config, origins }: Effective) {
  return [...origins].map(([key, origin]) => ({ key, value: valueAt(config, key), origin }));
}

/**
 * A line for each key that a file or preset sets, with its origin; rules that are set follow `rules`.
 *
 * @param all also keys at their default
 */
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

function valueText(value: unknown): string {
  if (value === null || value === undefined) return "(not set)";
  return clipped(typeof value === "string" ? value : JSON.stringify(value), 200);
}
