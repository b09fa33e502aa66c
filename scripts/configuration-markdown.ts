// docs/configuration.md and docs/environment.md: every key and every variable, made from the two
// schemas so that it cannot lag behind.

import { CONFIG_KEYS, type ConfigKey, schemaAt } from "../src/config/config-keys.ts";
import { ENV_VARIABLES } from "../src/config/environment/env-variables.ts";
import { MAX_CONFIG_BYTES } from "../src/config/read-yaml.ts";

const HEAD = `<!-- Made by \`npm run generate\` from src/config; edit the descriptions there. -->

# Configuration

Kodiai needs no file. To change something, put \`.kodiai.yml\` at the root:

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

The file is read at the base of the pull request. Later entries win, key by key; lists replace each other, \`rules\` merge by rule:

1. the defaults below
2. the \`preset\`
3. \`.kodiai.yml\` in the owner's \`.github\` repository
4. \`.kodiai.yml\` of the repository named by \`_extends\`, one step
5. \`.kodiai.yml\` of the repository

\`kodiai init\` writes a first file. \`kodiai config show\`, or \`/kodiai config\` on a pull request, prints what differs from the defaults and why;
\`kodiai config explain KEY\` what a key means.

A model also reads \`AGENTS.md\`, \`CLAUDE.md\` and \`.github/copilot-instructions.md\` of the base, as data; the summary names them.

## When something is wrong

A wrong value counts as not written; the summary and \`kodiai config check FILE\` name it with line and column. A file over ${MAX_CONFIG_BYTES / 1024} KiB, or with a YAML error, is ignored as a whole.
`;

const ENV_HEAD = `<!-- Made by \`npm run generate\` from src/config/environment; edit the descriptions there. -->

# Environment variables

Read once when the server starts; [.env.example](../.env.example) has them with examples. A wrong value, a weak secret or an unknown \`KODIAI_\` variable keeps
the server from starting.

The server also reads \`.env\` in the folder where you start it; the environment wins. \`doctor\` reads that of Kodiai's checkout, or of the
folder that holds the data folder. Of \`.env\` only the variables below, GITHUB_TOKEN, GITHUB_API_URL, GITHUB_SERVER_URL and PGPASSWORD
are read; Kodiai names the others. An address or a proxy in \`.env\` is never used with a key from the environment.
`;

/** GitHub Markdown: keys by section with type, default and meaning. */
export function configurationMarkdown(): string {
  const groups = Map.groupBy(CONFIG_KEYS, (key) => areaOf(key.path));
  const tables = [...groups].map(([area, keys]) => {
    const sections = [...Map.groupBy(keys, (key) => groupOf(key.path))];
    const rows = sections.flatMap(([group, own]) => [...sectionRow(group, area), ...own.map(keyRow)]);
    return `${groupHead(area)}${table(["key", "type (default)", "meaning"], rows)}`;
  });
  return [
    HEAD,
    "## Keys\n\nLists and mappings are empty by default; an empty one restricts nothing.\n",
    ...tables,
  ].join("\n");
}

/** The same of the server's variables. */
export function environmentMarkdown(): string {
  const rows = ENV_VARIABLES.map(({ name, required, default: fallback, description }) => {
    const value = required ? " Required." : fallback === null ? "" : ` Default: ${code(fallback)}.`;
    return [code(name), `${description}${value}`];
  });
  return `${ENV_HEAD}\n${table(["variable", "meaning"], rows)}`;
}

/** Not aligned: the longest cell would make every row as long. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => "-"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return `${lines.join("\n")}\n`;
}

/**
 * Keys of list items are listed with their list, keys of sections with their section, the others
 * together.
 */
function groupOf(path: string): string {
  const [list = ""] = path.split("[]", 1);
  if (list !== path) return list;
  const schema = schemaAt(path);
  if (schema?.items?.properties !== undefined) return path;
  return path.includes(".") ? path.slice(0, path.lastIndexOf(".")) : "";
}

/** The sections that have a heading; the other keys are together. */
function areaOf(path: string): string {
  const [area = ""] = path.split(".", 1);
  return schemaAt(area)?.properties === undefined ? "" : area;
}

/** What a section within an area is about. */
function sectionRow(group: string, area: string): readonly (readonly string[])[] {
  const schema = schemaAt(group);
  if (group === area || schema?.properties === undefined) return [];
  return [[`**${group}**`, "", schema.description ?? ""]];
}

function groupHead(group: string): string {
  if (group === "") return "";
  return `### ${group}\n\n${schemaAt(group)?.description}\n\n`;
}

function keyRow(key: ConfigKey): readonly string[] {
  const type = key.type
    .replace("`true`, `false`", "boolean")
    .replace(/^(?:whole )?number, /, "")
    .replace("list of text", "list");
  return [code(key.path), `${type}${fallbackText(key)}`, key.description];
}

/** "" where it is nothing: no value, an empty list or mapping. */
function fallbackText(key: ConfigKey): string {
  if (key.required) return ", required";
  const isNothing = key.default === undefined || /^(?:\[\]|\{\})$/.test(JSON.stringify(key.default));
  return isNothing ? "" : ` (${code(JSON.stringify(key.default).replace(/^"(.*)"$/, "$1"))})`;
}

function code(text: string): string {
  return `\`${text.replaceAll("|", "\\|")}\``;
}
