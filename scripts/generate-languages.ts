// node scripts/launch.mjs scripts/generate-languages.ts: packs GitHub's language data into
// src/domain/code/language-table.json. The package costs 155 ms and 7 MB at every start; the table
// has the four facts that decide a language, one language a line.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import * as linguist from "linguist-languages";

const TARGET = "src/domain/code/language-table.json";
const version = (
  JSON.parse(readFileSync("node_modules/linguist-languages/package.json", "utf8")) as { version: string }
).version;

interface Listed {
  readonly name: string;
  readonly type: string;
  readonly extensions?: readonly string[];
  readonly filenames?: readonly string[];
  readonly interpreters?: readonly string[];
}

const languages = (Object.values(linguist) as readonly Listed[])
  .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  .map((language) => [language.name, packed(language)] as const);
writeFileSync(
  TARGET,
  JSON.stringify({ source: `linguist-languages ${version}`, languages: Object.fromEntries(languages) }, null, 2),
);
execFileSync(process.execPath, ["node_modules/@biomejs/biome/bin/biome", "format", "--write", TARGET]);
console.log(`${TARGET}: ${languages.length} languages`);

/**
 * Lists become words with a space between: a tenth of the lines, and the formatter leaves them
 * alone.
 */
function packed({ type, extensions, filenames, interpreters }: Listed): Record<string, string> {
  const lists = Object.entries({ extensions, filenames, interpreters }).filter(([, words]) => (words ?? []).length > 0);
  return { type, ...Object.fromEntries(lists.map(([key, words]) => [key, joined(words ?? [])])) };
}

function joined(words: readonly string[]): string {
  const odd = words.find((word) => /\s/.test(word));
  if (odd !== undefined) throw new Error(`"${odd}" has white space: choose another separator`);
  return words.join(" ");
}
