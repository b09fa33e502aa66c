// docs/configuration.md: every key and every variable, made from the two schemas so that it cannot lag behind.

import { stringify } from "yaml";
import { markdownTable } from "../src/cli/terminal-text.ts";
import { CONFIG_KEYS, type ConfigKey, schemaAt } from "../src/config/config-keys.ts";
import { ENV_VARIABLES } from "../src/config/environment/env-variables.ts";
import { presetsText } from "../src/config/preset.ts";
import { MAX_CONFIG_BYTES } from "../src/config/read-yaml.ts";

const HEAD = `<!-- Made by \`npm run generate\` from src/config; edit the descriptions there. -->

# Configuration

Kodiai needs no configuration file. To change something, put \`.kodiai.yml\` at the root of the repository:

\`\`\`yaml
review:
  profile: quiet
pathFilters:
  - "!**/snapshots/**"
rules:
  debugger-left-in: off
\`\`\`

[.kodiai.yml.example](../.kodiai.yml.example) holds every key with its default; editors complete and check the file with
[kodiai.schema.json](kodiai.schema.json).

## Where values come from

The file is read from the branch that the pull request goes into, never from the pull request itself. Of several files
the later one in this list wins, key by key; lists replace each other, \`rules\` merge by rule:

1. the defaults below
2. the \`preset\`: ${presetsText()}
3. \`.kodiai.yml\` in the owner's \`.github\` repository
4. \`.kodiai.yml\` of the repository named by \`_extends\`, one step
5. \`.kodiai.yml\` of the repository

\`kodiai init\` writes a file that fits a clone, \`kodiai config show\` prints what differs from the defaults and which of these set it, and \`kodiai
config explain KEY\` what a key means; in a pull request \`/kodiai config\` does.

A model also reads \`AGENTS.md\`, \`CLAUDE.md\` and \`.github/copilot-instructions.md\` of that branch, up to 64 KiB each, as conventions of the
repository; the summary names those that it read. They are data: no sentence in them changes the rules of a review.

Labels and words in a pull request's title may change a single review; they never change the file.

## When something is wrong

A wrong value counts as not written: the other keys keep working, and the review's summary names the problem with line
and column. \`kodiai config check FILE\` prints the same before you push. A file larger than ${MAX_CONFIG_BYTES / 1024} KiB, with a YAML error, or
nested and aliased beyond reason is left aside as a whole. Values are plain text: nothing is looked up, included or
executed. Keys in snake_case, and the profiles \`chill\` (quiet) and \`assertive\` (thorough), are read with a notice.
`;

const ENV_HEAD = `## Environment variables

Read once when the server starts; [.env.example](../.env.example) holds them all. A wrong value, a weak secret or an
unknown variable that begins with \`KODIAI_\` keeps the server from starting. Secrets stand here and nowhere else.

The server also reads \`.env\` in the folder where you start it; the environment wins. Of the other commands, \`doctor\` and
\`retract\` read it, and only in the server's own folder: Kodiai's checkout, or the folder that holds the data folder that you
name with \`--data-dir\` (or with an absolute path in KODIAI_DATA_DIR). Elsewhere they leave the file alone and say so. An
address or a proxy in \`.env\` is never used with a key from the environment: Kodiai names the two variables and stops. Set both in the
same place. Of \`.env\` only the variables below, GITHUB_TOKEN, GITHUB_API_URL, GITHUB_SERVER_URL and PGPASSWORD are read, and none that begins with
\`NODE_\`; Kodiai names the others when it ignores them.
`;

/** GitHub Markdown: keys by section with type, default, meaning and example; then the environment. */
export function configurationMarkdown(): string {
  const groups = Map.groupBy(CONFIG_KEYS, (key) => groupOf(key.path));
  const tables = [...groups].map(([group, keys]) => `${groupHead(group)}${keyTable(keys)}${examples(keys)}`);
  const variables = ENV_VARIABLES.map((variable) => {
    const fallback = variable.required ? "required" : code(variable.default);
    return [code(variable.name), fallback, variable.description, code(variable.example)];
  });
  const environment = markdownTable([["variable", "default", "meaning", "example"], ...variables]);
  return [HEAD, "## Keys\n", ...tables, ENV_HEAD, environment].join("\n");
}

/** Keys of list items are listed with their list, keys of sections with their section, the others together. */
function groupOf(path: string): string {
  const [list = ""] = path.split("[]", 1);
  if (list !== path) return list;
  const schema = schemaAt(path);
  if (schema?.items?.properties !== undefined) return path;
  return path.includes(".") ? path.slice(0, path.lastIndexOf(".")) : "";
}

function groupHead(group: string): string {
  if (group === "") return "";
  const schema = schemaAt(group);
  const about = schema?.properties === undefined ? "" : `${schema.description}\n\n`;
  return `### ${group}\n\n${about}`;
}

function keyTable(keys: readonly ConfigKey[]): string {
  const rows = keys.map((key) => [code(key.path), key.type, fallbackText(key), key.description]);
  return `${markdownTable([["key", "type", "default", "meaning"], ...rows])}\n`;
}

function fallbackText(key: ConfigKey): string {
  if (key.required) return "required";
  return key.default === undefined ? "none" : `\`${JSON.stringify(key.default).replace(/^"(.*)"$/, "$1")}\``;
}

function examples(keys: readonly ConfigKey[]): string {
  const tree: ExampleTree = new Map();
  for (const { path, example } of keys.filter((key) => !key.path.includes("[]"))) put(tree, path.split("."), example);
  return `\`\`\`yaml\n${stringify(tree, { lineWidth: 0 })}\`\`\`\n`;
}

type ExampleTree = Map<string, unknown>;

function put(tree: ExampleTree, [first = "", ...rest]: readonly string[], example: unknown): void {
  if (rest.length === 0) {
    tree.set(first, example);
    return;
  }
  const known = tree.get(first);
  const inner: ExampleTree = known instanceof Map ? known : new Map();
  tree.set(first, inner);
  put(inner, rest, example);
}

function code(text: string | null): string {
  return text === null ? "" : `\`${text}\``;
}
