// Writes the files that are made from the code: documents, JSON Schema, examples. `--check` only
// says which are stale.
//
//   npm run generate [-- --check]
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { configJsonSchema } from "../src/config/config-keys.ts";
import { helpMarkdown } from "./cli-markdown.ts";
import { commandsMarkdown } from "./commands-markdown.ts";
import { exampleYaml } from "./config-example.ts";
import { configurationMarkdown, environmentMarkdown } from "./configuration-markdown.ts";
import { envExample } from "./env-example.ts";
import { githubMarkdown } from "./github-markdown.ts";
import { grafanaDashboard } from "./grafana-dashboard.ts";
import { EXPERIMENTS } from "./live-check/experiments.ts";
import { metricsMarkdown } from "./metrics-markdown.ts";
import { modelsMarkdown } from "./models-markdown.ts";
import { permissionsMarkdown } from "./permissions-markdown.ts";
import { rulesMarkdown } from "./rules-markdown.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const read = (name: string) => readFileSync(join(root, name), "utf8");

function cliMarkdown(): string {
  const about = "In a clone of the project: `npm run -s kodiai -- VERB`. `kodiai VERB --help` prints the same.";
  return `<!-- Made by \`npm run generate\` from src/cli/verbs.ts. -->\n\n# Command line\n\n${about}\n\n${helpMarkdown()}\n`;
}

const files = new Map([
  ["docs/cli.md", cliMarkdown()],
  ["docs/permissions.md", permissionsMarkdown(read("app.yml"), EXPERIMENTS)],
  ["docs/internals/github.md", githubMarkdown()],
  ["docs/configuration.md", configurationMarkdown()],
  ["docs/environment.md", environmentMarkdown()],
  ["docs/kodiai.schema.json", `${JSON.stringify(configJsonSchema(), null, 2)}\n`],
  [".kodiai.yml.example", exampleYaml()],
  [".env.example", envExample()],
  ["docs/rules.md", rulesMarkdown()],
  ["docs/commands.md", commandsMarkdown()],
  ["docs/metrics.md", metricsMarkdown()],
  ["docs/models.md", modelsMarkdown()],
  ["deploy/grafana/kodiai.json", grafanaDashboard()],
]);

function isStale(name: string, text: string): boolean {
  const path = join(root, name);
  return !existsSync(path) || readFileSync(path, "utf8") !== text;
}

const stale = [...files].filter(([name, text]) => isStale(name, text));
if (process.argv.includes("--check")) {
  for (const [name] of stale) console.error(`${name} is stale; run \`npm run generate\``);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const [name, text] of stale) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
    console.log(`wrote ${name}`);
  }
}
