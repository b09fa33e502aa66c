// kodiai config: checks a configuration file, or prints the JSON Schema that editors use.
import { readFile } from "node:fs/promises";
import { parseConfig } from "../config/parse-config.ts";
import { problemLine } from "../config/problem-line.ts";
import { configJsonSchema } from "../config/schema-json.ts";
import { knownRules } from "../wire.ts";
import { terminalText } from "./terminal-text.ts";
import { type ExitCode, readWords, UsageError } from "./usage.ts";

/** @throws UsageError */
export async function config(words: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = readWords(words, { json: { type: "boolean" }, format: { type: "string" } });
  const [verb, file, ...more] = positionals;
  if (verb === "schema" && file === undefined) {
    console.log(JSON.stringify(configJsonSchema(), null, 2));
    return 0;
  }
  if (verb !== "check" || more.length > 0) throw new UsageError("write `config check FILE` or `config schema`");
  return check(file ?? ".kodiai.yml", values.json === true || values.format === "json");
}

async function check(file: string, asJson: boolean): Promise<ExitCode> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  const { problems } = parseConfig([{ file, text }], knownRules());
  if (asJson) console.log(JSON.stringify({ version: 1, problems }, null, 2));
  else if (problems.length === 0) console.log(`${file}: no problems`);
  else for (const problem of problems) console.log(terminalText(problemLine(problem)));
  return problems.some((problem) => problem.severity === "error") ? 2 : 0;
}
