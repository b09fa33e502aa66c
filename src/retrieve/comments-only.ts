// A change that programs do not notice: white space, and whole lines of comment. In doubt it is a change of code.
import type { DiffLine, FileDiff, Hunk } from "../domain/pull-request.ts";
import type { FileFacts } from "../domain/signals.ts";

interface Grammar {
  /** What begins a comment that ends with its line. */
  readonly line: readonly string[];
  readonly block: boolean;
  /** True where leading white space means something. */
  readonly indented: boolean;
}

const C_LIKE: Grammar = { line: ["//"], block: true, indented: false };
const HASH: Grammar = { line: ["#"], block: false, indented: false };
const GRAMMARS: ReadonlyMap<string, Grammar> = new Map([
  ..."typescript javascript java kotlin go rust c cpp csharp swift scala groovy dart objectivec objectivecpp zig solidity"
    .split(" ")
    .map((language) => [language, C_LIKE] as const),
  ["php", { line: ["//", "#"], block: true, indented: false }],
  ["css", { line: [], block: true, indented: false }],
  ["scss", C_LIKE],
  ["python", { ...HASH, indented: true }],
  ["ruby", HASH],
  ["perl", HASH],
  ["r", HASH],
  ["julia", HASH],
  ["elixir", HASH],
  ["shell", HASH],
  ["sql", { line: ["--"], block: true, indented: false }],
  ["lua", { line: ["--"], block: false, indented: false }],
  ["haskell", { line: ["--"], block: false, indented: true }],
]);

/** Comments that tools obey. */
const DIRECTIVE =
  /^\W{0,10}(?:!|@ts-|ts-|eslint|tslint|jshint|biome-|prettier-|istanbul|c8 |v8 |webpack|@vite|@flow|@jsx|@type|@param|@returns?|@deprecated|@internal|<reference|#|go:|\+build|export |nolint|lint:|noqa|type:|pylint|mypy|pyright|ruff|flake8|fmt:|isort|pragma|nosec|nosonar|coverage|coding[:=]|-\*-|frozen_string_literal|rubocop|shellcheck|sonar|clang-format|NOLINT|swiftlint|ktlint|phpcs|phpstan|psalm|checkstyle|spotless|codeql|language=|sourceMappingURL|to-?do|fix-?me)/i;

/** A comment that holds code is code that was switched off or explained. */
const CODE_IN_COMMENT =
  /[;{}]\s*$|=>|\w\([^)]{0,200}\)|^\W{0,10}(?:import|return|const|let|var|def|class|if)\b.{0,200}[({=:]/;

/**
 * True when every file is of a language whose comments we know, was wholly delivered, and reads the same before and after
 * once comments, blank lines and white space that means nothing are taken away.
 */
export function isCommentsOnly(files: readonly FileDiff[], facts: readonly FileFacts[]): boolean {
  const languages = new Map(facts.map(({ path, language }) => [path, language]));
  return (
    files.length > 0 &&
    files.every((file) => {
      const grammar = GRAMMARS.get(languages.get(file.path) ?? "");
      return grammar !== undefined && readsTheSame(file, grammar);
    })
  );
}

function readsTheSame(file: FileDiff, grammar: Grammar): boolean {
  const changed = file.additions + file.deletions > 0;
  const plain = file.status === "modified" && file.complete && !file.binary;
  return changed && plain && file.hunks.every((hunk) => sameCode(hunk, grammar));
}

function sameCode(hunk: Hunk, grammar: Grammar): boolean {
  // In a text of several lines white space and comment signs are content.
  if (hunk.lines.some(({ text }) => /`|"""|'''|<<[-~]?\w|R"\(/.test(text))) return false;
  const before = codeLines(hunk.lines, "added", grammar);
  const after = codeLines(hunk.lines, "removed", grammar);
  return before.length === after.length && before.every((line, index) => line === after[index]);
}

/** The lines of one side that a program would read, each normalised. */
function codeLines(lines: readonly DiffLine[], without: DiffLine["kind"], grammar: Grammar): readonly string[] {
  let inBlock = false;
  return lines
    .filter(({ kind }) => kind !== without)
    .flatMap(({ text }) => {
      const trimmed = text.slice(0, 2_000).trim();
      const read = readLine(trimmed, inBlock, grammar);
      inBlock = read.inBlock;
      return read.comment ? [] : [normalised(text, grammar)];
    });
}

/** Whether a line is comment (or blank) as a whole, and whether a block comment is open after it. */
function readLine(
  trimmed: string,
  inBlock: boolean,
  grammar: Grammar,
): { readonly comment: boolean; readonly inBlock: boolean } {
  if (grammar.block && (inBlock || trimmed.startsWith("/*"))) {
    const end = trimmed.indexOf("*/", inBlock ? 0 : 2);
    const whole = end === -1 || end === trimmed.length - 2;
    return { comment: whole && isPlainComment(trimmed), inBlock: end === -1 };
  }
  const comment = trimmed === "" || (isLineComment(trimmed, grammar) && isPlainComment(trimmed));
  return { comment, inBlock: false };
}

function isLineComment(trimmed: string, { line }: Grammar): boolean {
  return line.some((start) => trimmed.startsWith(start));
}

function isPlainComment(trimmed: string): boolean {
  const words = trimmed.replace(/^(?:\/\/+|\/\*+|\*(?!\/)|#|--)/, "");
  return !DIRECTIVE.test(words) && !CODE_IN_COMMENT.test(words) && !/^#!/.test(trimmed);
}

function normalised(text: string, { indented }: Grammar): string {
  const kept = indented ? text.trimEnd() : text.trim();
  // Inside quotes every space counts.
  return /["']/.test(kept) ? kept : kept.replace(/(?<=\S)\s+/g, " ");
}
