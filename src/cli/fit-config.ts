// A first .kodiai.yml for a checkout: what holds there without any file is told in comments, and only what the checkout
// itself says (generated and vendored by .gitattributes) is set.

import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { languageOf } from "../analyze/analyze.ts";
import { PRESET_NAMES, type Preset, presetValues } from "../config/preset.ts";
import { UNKNOWN_LANGUAGE } from "../domain/language.ts";
import { counted } from "../domain/text/counted.ts";
import { leftOutReason } from "../gather/gather.ts";
import { corpusOf } from "../learn/learn.ts";
import { isFolder } from "./find-repository.ts";
import { type ExitCode, oneOf, readWords, UsageError } from "./usage.ts";
import { VERBS } from "./verbs.ts";

/** What stands in a checkout. */
export interface Checkout {
  /** Tracked paths and those that git does not ignore, with `/`. */
  readonly files: readonly string[];
  /** Text of .gitattributes; "" without one. */
  readonly attributes: string;
}

/** Languages whose syntax the structural rules read, by canonical id. Of all others the lines are read. */
const STRUCTURAL: ReadonlySet<string> = new Set([
  "typescript",
  "javascript",
  "python",
  "go",
  "java",
  "ruby",
  "rust",
  "php",
]);
/** Prose and settings are in every repository and say nothing about it. */
const NOT_CODE: ReadonlySet<string> = new Set([
  "markdown",
  "json",
  "yaml",
  "text",
  "toml",
  "ini",
  "xml",
  "svg",
  "csv",
  "gitignore",
  "ignorelist",
  "gitattributes",
  "editorconfig",
  "dotenv",
  "npmconfig",
  "restructuredtext",
  "asciidoc",
  "jsonwithcomments",
  UNKNOWN_LANGUAGE,
]);
/** What the model is told of the repository before each review: see gather/read-guidance.ts. */
const GUIDANCE = ["AGENTS.md", "CLAUDE.md", ".github/copilot-instructions.md"];
/** Folders that often hold other people's code, and as often one's own: only proposed. */
const MAYBE_FOREIGN = /^(?:[^/]+\/){0,3}?(external|extern|deps|vendored|thirdparty|contrib|submodules)\//;
const MOST_SHOWN = 8;
const MOST_FILTERS = 100;
const WIDTH = 116;

/** The text of the file: YAML with comments, without a problem for `config check`. */
export function fittedConfig({ files, attributes }: Checkout, preset: Preset): string {
  const marked = markedPatterns(attributes);
  const foreign = [...new Set(files.flatMap((path) => MAYBE_FOREIGN.exec(path)?.[0] ?? []))].slice(0, MOST_SHOWN);
  return [
    "# How Kodiai reviews this repository, fitted to what was in it when `kodiai init` wrote this. Every key may be left",
    "# out: `kodiai config show` prints what is set, `kodiai config explain KEY` what a key means. It is read from the branch",
    "# that a pull request goes into, so a change of it takes effect once it is merged.",
    "",
    ...comment(languageLines(files)),
    ...comment(leftOutLines(files)),
    ...comment(documentLines(files)),
    "",
    `# Where to start from: ${PRESET_NAMES.join(", ")}. ${presetText(preset)}`,
    `preset: ${preset}`,
    "",
    ...filterLines(marked, foreign),
    "# What a model is asked to look for in some paths; `kodiai conventions` proposes entries from past reviews.",
    "# pathInstructions:",
    `#   - path: ${quoted(`${busiestFolder(files)}**`)}`,
    "#     instructions: Every handler checks the tenant before it reads a row.",
    "",
    "# A rule's severity, or `off`; docs/rules.md of Kodiai lists them.",
    "# rules:",
    "#   debug-leftover: off",
    "",
  ].join("\n");
}

function languageLines(files: readonly string[]): readonly string[] {
  const counted = countedBy(files, (path) => languageOf(path)).filter(([language]) => !NOT_CODE.has(language));
  if (counted.length === 0) return ["No code yet: rules read every language's lines."];
  const told = (isIn: boolean) => shownCounts(counted.filter(([language]) => STRUCTURAL.has(language) === isIn));
  const [structural, others] = [told(true), told(false)];
  return [
    ...(structural === "" ? [] : [`Languages whose syntax the rules read: ${structural}.`]),
    ...(others === "" ? [] : [`By their lines only: ${others}.`]),
  ];
}

function leftOutLines(files: readonly string[]): readonly string[] {
  const reasons = countedBy(files, (path) => leftOutReason(path)).map(([reason, count]) => {
    const folders = countedBy(files, (path) => (leftOutReason(path) === reason ? folderOf(path) : null));
    return `${reason} (${count}: ${folders
      .slice(0, 3)
      .map(([folder]) => clean(folder))
      .join(", ")}${folders.length > 3 ? ", …" : ""})`;
  });
  return reasons.length === 0 ? [] : [`Left out without being asked: ${reasons.join("; ")}.`];
}

function documentLines(files: readonly string[]): readonly string[] {
  const there = new Set(files);
  const guidance = GUIDANCE.filter((path) => there.has(path));
  const known = ["CONTRIBUTING.md", ".github/CONTRIBUTING.md", "docs/CONTRIBUTING.md", "ARCHITECTURE.md"];
  const named = known.filter((path) => there.has(path));
  const isDocument = (path: string) => corpusOf(path, UNKNOWN_LANGUAGE, { languages: new Set() }) === "doc";
  const documents = files.filter((path) => isDocument(path) && leftOutReason(path) === null).length;
  const such = named.length === 0 ? "" : `, ${named.join(" and ")} among them`;
  return [
    ...(guidance.length === 0 ? [] : [`A model reads ${guidance.join(" and ")} before each review.`]),
    ...(documents === 0
      ? []
      : [
          `Remembered as documentation: ${counted(documents, "Markdown file")}${such}; \`knowledge: {corpora: {docs: false}}\` turns that off.`,
        ]),
  ];
}

/** `path linguist-generated`, `path linguist-vendored=true`: what git's own attributes call not ours. */
function markedPatterns(attributes: string): readonly { readonly glob: string; readonly mark: string }[] {
  return attributes
    .split("\n")
    .flatMap((line) => {
      const [pattern = "", ...words] = line.trim().slice(0, 1_000).split(/\s+/);
      const mark = /^linguist-(generated|vendored)(?:=true)?$/.exec(
        words.find((word) => word.startsWith("linguist-")) ?? "",
      );
      const isGlob = pattern !== "" && !/^[#"!]|[[\]\\]/.test(pattern);
      return mark?.[1] === undefined || !isGlob ? [] : [{ glob: pattern.replace(/^\//, ""), mark: mark[1] }];
    })
    .slice(0, MOST_FILTERS);
}

function filterLines(
  marked: readonly { readonly glob: string; readonly mark: string }[],
  foreign: readonly string[],
): readonly string[] {
  const why = "# Which files are reviewed: `!` leaves out, the last match wins.";
  const proposed = foreign.map((folder) => `  # - ${quoted(`!${folder}**`)} # if that is not your code`);
  if (marked.length > 0) {
    const set = marked.map(({ glob, mark }) => `  - ${quoted(`!${glob}`)} # ${mark}, says .gitattributes`);
    return [why, "pathFilters:", ...set, ...proposed, ""];
  }
  const example = proposed.length > 0 ? proposed : ['  # - "!**/snapshots/**"'];
  return [why, "# pathFilters:", ...example.map((line) => line.replace("  # - ", "#   - ")), ""];
}

function presetText(preset: Preset): string {
  const said = presetValues(preset).map(({ key, value }) => `${key} ${String(value)}`);
  return said.length === 0
    ? "This one sets nothing: the defaults."
    : `This one sets ${said.join(", ")}; what you set wins.`;
}

/** The folder of the first level that holds the most code. */
function busiestFolder(files: readonly string[]): string {
  const code = files.filter((path) => !NOT_CODE.has(languageOf(path)) && leftOutReason(path) === null);
  return countedBy(code, (path) => (path.includes("/") ? `${path.split("/")[0]}/` : null))[0]?.[0] ?? "";
}

function folderOf(path: string): string {
  return path.includes("/") ? `${path.split("/").slice(0, -1).slice(0, 2).join("/")}/` : path;
}

/** Most first, then by name; null is not counted. */
function countedBy(
  files: readonly string[],
  wordOf: (path: string) => string | null,
): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const path of files) {
    const word = wordOf(path);
    if (word !== null) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].toSorted(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
}

function shownCounts(list: readonly (readonly [string, number])[]): string {
  const more = list.length > MOST_SHOWN ? ` and ${list.length - MOST_SHOWN} more` : "";
  return `${list
    .slice(0, MOST_SHOWN)
    .map(([word, count]) => `${word} (${counted(count, "file")})`)
    .join(", ")}${more}`;
}

/** A path may hold anything: in a comment it stays on its line. */
function clean(text: string): string {
  return harmless(text).slice(0, 100);
}

function quoted(glob: string): string {
  return JSON.stringify(clean(glob));
}

function comment(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => wrapWords(harmless(line), WIDTH)).map((line) => `# ${line}`);
}

function harmless(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");
}

// kodiai init: writes a .kodiai.yml that fits a checkout. A file that is there is never written over unasked.

/**
 * @param open reads the checkout in a folder
 * @throws UsageError when the file is there already, or the folder is no repository
 */
export async function init(words: readonly string[], open: (folder: string) => Promise<Checkout>): Promise<ExitCode> {
  const { values, positionals } = readWords(words, VERBS.init.options);
  if (positionals.length > 0)
    throw new UsageError(`init takes no ${JSON.stringify(positionals[0])}; name a folder with --repo`);
  const folder = resolve(values.repo ?? ".");
  if (!isFolder(folder)) throw new UsageError(`--repo ${values.repo} is not a folder`);
  const preset = oneOf("preset", values.preset ?? "balanced", PRESET_NAMES);
  const file = join(folder, ".kodiai.yml");
  if (values.stdout !== true && values.force !== true && existsSync(file)) {
    throw new UsageError(`${file} is there already; --force writes over it, --stdout only prints`);
  }
  const text = fittedConfig(await open(folder), preset);
  if (values.stdout === true) {
    process.stdout.write(text);
    return 0;
  }
  await writeFile(file, text);
  console.log(`wrote ${file}; read it, change it, commit it: it holds for pull requests once it is merged`);
  return 0;
}

// Text broken into lines at spaces, for comments in generated files.

/** @param width longest line in characters; a single longer word stands alone */
export function wrapWords(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
