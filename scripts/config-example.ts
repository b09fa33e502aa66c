// .kodiai.yml.example: every key with its default, so that people delete instead of searching.

import { stringify } from "yaml";
import { CONFIG_KEYS, type ConfigKey, schemaAt } from "../src/config/config-keys.ts";
import { wrapWords } from "./wrap-words.ts";

const HEAD = `# yaml-language-server: $schema=./docs/kodiai.schema.json
#
# Every key of \`.kodiai.yml\` with its default. Copy what you want to change into \`.kodiai.yml\` at the root of your
# repository; what you leave out keeps its default. docs/configuration.md explains more.
`;

/** Width of comments, "# " included. */
const WIDTH = 110;
const INDENT = "  ";

/** YAML text that parses to exactly the defaults; keys without one are comments. */
export function exampleYaml(): string {
  const keys = CONFIG_KEYS.filter((key) => !key.path.includes("[]"));
  const parts: string[] = [HEAD];
  let open: readonly string[] = [];
  for (const key of keys) {
    const sections = key.path.split(".").slice(0, -1);
    const shared = sections.findIndex((name, depth) => open[depth] !== name);
    if (shared !== -1)
      parts.push(...sections.slice(shared).map((_, at) => sectionText(sections.slice(0, shared + at + 1))));
    open = sections;
    parts.push(keyText(key, INDENT.repeat(sections.length)));
  }
  return parts.join("\n").replace(/:\n\n(?= +#)/g, ":\n");
}

function keyText(key: ConfigKey, indent: string): string {
  const name = key.path.split(".").at(-1) ?? "";
  const hasDefault = key.default !== undefined;
  const entry = hasDefault ? entryYaml(name, key.default) : commented(entryYaml(name, key.example));
  const choices = /^`.*`, /.test(key.type) && !key.type.startsWith("`true`") ? ` One of ${key.type}.` : "";
  const about = comment(`${key.description}${choices}`, indent);
  const isEmpty = hasDefault && typeof key.default === "object";
  const example = isEmpty ? commented(`Example:\n${entryYaml(name, key.example)}`) : "";
  return `${about}${indented(`${example}${entry}`, indent)}`;
}

function entryYaml(name: string, value: unknown): string {
  return stringify({ [name]: value }, { lineWidth: 0 });
}

function commented(text: string): string {
  return text.replace(/^(?=.)/gm, "# ");
}

function indented(text: string, indent: string): string {
  return text.replace(/^(?=.)/gm, indent);
}

function comment(text: string, indent: string): string {
  return wrapWords(text, WIDTH - indent.length - 2)
    .map((line) => `${indent}# ${line}\n`)
    .join("");
}

/** The line that opens a section, under what it is for. */
function sectionText(path: readonly string[]): string {
  const schema = schemaAt(path.join("."));
  const indent = INDENT.repeat(path.length - 1);
  const about = schema?.properties === undefined ? "" : comment(schema.description ?? "", indent);
  return `${about}${indent}${path.at(-1)}:\n`;
}
