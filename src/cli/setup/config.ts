// kodiai config: checks a file, prints each effective value with its source, explains a key, or prints the JSON Schema.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { problemLine } from "../../config/located.ts";
import { parseConfig } from "../../config/parse-config.ts";
import type { ConfigProblem } from "../../config/repo-config.ts";
import { configJsonSchema } from "../../config/schema-json.ts";
import { configVerbPorts } from "../../wire/cli/config.ts";
import { knownRules } from "../../wire/rules.ts";
import { isFolder } from "../find-repository.ts";
import { terminalText } from "../terminal-text.ts";
import { type ExitCode, fileText, noMore, printed, readWords, UsageError, wantsJson } from "../usage.ts";
import { VERBS } from "../verbs.ts";
import { configExplanation, configLines, configValues } from "./config-page.ts";

type ConfigPorts = Awaited<ReturnType<typeof configVerbPorts>>;

/** @throws UsageError */
export async function config(words: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = readWords(words, VERBS.config.options);
  const [verb = "show", word, ...more] = positionals;
  const asJson = wantsJson(values);
  noMore(more);
  if (verb === "schema" && word === undefined) return schema();
  if (verb === "check" && word !== undefined && values.repo !== undefined)
    throw new UsageError("`config check` takes FILE or --repo PATH, not both");
  if (verb === "check") return check(word ?? fileIn(values.repo ?? "."), asJson);
  if (verb === "show" && word === undefined)
    return show(await configVerbPorts(values.repo), asJson, values.all === true);
  if (verb === "explain" && word !== undefined) return explain(word, await configVerbPorts(values.repo), asJson);
  throw new UsageError("write `config show`, `config explain KEY`, `config check [FILE]` or `config schema`");
}

function schema(): ExitCode {
  console.log(JSON.stringify(configJsonSchema(), null, 2));
  return 0;
}

async function show({ name, notRead, read }: ConfigPorts, asJson: boolean, all: boolean): Promise<ExitCode> {
  const parsed = await read();
  const { problems } = parsed;
  printed(asJson, { repository: name, values: configValues(parsed), problems, notRead }, () =>
    [
      ...configLines(parsed, all),
      ...problems.map((problem) => terminalText(problemLine(problem))),
      ...(notRead === null ? [] : [`not read: ${notRead}`]),
    ].join("\n"),
  );
  return codeOf(problems);
}

async function explain(key: string, { notRead, read }: ConfigPorts, asJson: boolean): Promise<ExitCode> {
  const explained = configExplanation(key, await read());
  if ("problem" in explained) throw new UsageError(explained.problem);
  const lines = [...explained.lines, ...(notRead === null ? [] : [`not read: ${notRead}`])];
  return printed(asJson, { keys: explained.keys, notRead }, () => lines.join("\n"));
}

/** @throws UsageError if it is not a folder with a `.kodiai.yml` */
function fileIn(folder: string): string {
  if (!isFolder(folder))
    throw new UsageError(`${folder} is not a folder; \`kodiai config show\` also reads OWNER/NAME on GitHub`);
  const file = join(folder, ".kodiai.yml");
  if (!existsSync(file)) throw new UsageError(`no .kodiai.yml in ${resolve(folder)}; \`kodiai init\` writes one`);
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
