// ast-grep's glue: which grammar reads a file, one parse for all rules, and matches given back as lines of the head file.
// Where only hunks are known, each hunk's new side is read as a fragment; tree-sitter mends what is cut off.

import type { SgNode } from "@ast-grep/napi";
import type { Hunk } from "../../domain/pull-request.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import type { InspectedFile } from "../../ports.ts";
import { grammarOf, parseText, unfit } from "../grammars.ts";
import type { Match } from "./rule.ts";

/**
 * Deepest syntax tree that rules walk. Looking for an ancestor or descendant is quadratic in depth (measured: .6 s a rule
 * at 3,000 levels, 10 ms at 400); the deepest of written code seen was below 100.
 */
const MAX_DEPTH = 250;

/** A stretch of one file that rules search: its syntax, and the head line on which row 0 lies. */
interface Region {
  readonly root: SgNode;
  readonly text: string;
  readonly firstLine: number;
}

export interface SyntaxTree {
  readonly kind: "tree";
  /** Keys under which rules for this file may stand, most specific first: `["tsx", "typescript"]`. */
  readonly languages: readonly string[];
  /** False when only hunks were parsed. */
  readonly whole: boolean;
  readonly regions: readonly Region[];
  /** Why part of the file is not searched, or null when all of it is. */
  readonly skipped: string | null;
}

/** The file, or part of it, is not searched by structural rules. */
export interface NotParsed {
  readonly kind: "not-parsed";
  readonly reason: string;
}

/**
 * Reads a file once for all rules.
 *
 * @returns the tree, why there is none, or null when no structural rule speaks about the file's language
 */
export function parseFile(file: InspectedFile): SyntaxTree | NotParsed | null {
  const languages = languageKeys(file);
  const [language] = languages;
  if (language === undefined || grammarOf(language) === null) return null;
  const pieces = piecesOf(file);
  for (const piece of pieces) {
    const reason = unfit(piece.text) ?? unending(piece.text);
    if (reason !== null) return { kind: "not-parsed", reason };
  }
  const regions = pieces.map(({ text, firstLine, whole }) => {
    const root = whole ? parseText(language, text) : parseFragment(language, text);
    return { root, text, firstLine };
  });
  const searched = regions.filter(({ root }) => !deeperThan(root, MAX_DEPTH));
  const skipped = searched.length < regions.length ? `code nested deeper than ${MAX_DEPTH} levels` : null;
  return { kind: "tree", languages, whole: pieces.every((piece) => piece.whole), regions: searched, skipped };
}

/**
 * Every place where an ast-grep rule matches.
 *
 * @param config an ast-grep rule object, or `{rule, constraints}`
 * @param onlyWith stretches whose text does not match it are not searched
 * @returns head lines, in no particular order. Throws ast-grep's error when the rule is not valid
 */
export function findMatches(
  tree: SyntaxTree,
  config: Readonly<Record<string, unknown>>,
  onlyWith: RegExp | undefined,
): Match[] {
  const matcher = asMatcher(config);
  return tree.regions
    .filter(({ text }) => onlyWith === undefined || onlyWith.test(text))
    .flatMap(({ root, firstLine }) => root.findAll(matcher).map((node) => linesOf(node, firstLine)));
}

/** ast-grep takes `{rule}`; our rules may leave that shell out. */
export function asMatcher(config: Readonly<Record<string, unknown>>): { rule: Record<string, unknown> } {
  const rule = Object.hasOwn(config, "rule") ? config : { rule: config };
  return rule as { rule: Record<string, unknown> };
}

/** An error in one line of at most 300 characters; ast-grep tells a chain of causes, of which the last says what to mend. */
export function causesOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const causes = text
    .slice(0, 2_000)
    .split("\n")
    .map((line) => line.replace(/^[\s|>-]+/, "").trim())
    .filter((line) => line !== "");
  return cutText(causes.join(" "), 300);
}

function languageKeys(file: InspectedFile): string[] {
  const { language } = file.facts;
  return language === "typescript" && /\.tsx$/i.test(file.diff.path) ? ["tsx", "typescript"] : [language];
}

interface Piece {
  readonly text: string;
  readonly firstLine: number;
  readonly whole: boolean;
}

/** The head text where it is known (an added file's only hunk is the whole file), else the new side of each hunk. */
function piecesOf(file: InspectedFile): Piece[] {
  if (file.headText !== null) return [{ text: file.headText, firstLine: 1, whole: true }];
  const { hunks, status, complete } = file.diff;
  const whole = status === "added" && complete && hunks.length === 1;
  return hunks.map((hunk) => ({ text: newSide(hunk), firstLine: hunk.newStart, whole }));
}

/** Comment openings without an end that are still taken for a slip. */
const MAX_OPEN_COMMENTS = 50;

/** tree-sitter's error recovery grows without bound on runs of comment openings: 6 kB took 1.5 GB. Rules run in-process. */
function unending(text: string): string | null {
  const open = text.split("/*").length - text.split("*/").length;
  return open > MAX_OPEN_COMMENTS ? "comments are opened and never closed" : null;
}

function newSide(hunk: Hunk): string {
  return hunk.lines
    .filter((line) => line.newLine !== null)
    .map((line) => line.text)
    .join("\n");
}

/** Reads a fragment in each way that it may stand in a file, and keeps the reading with the least left over. */
function parseFragment(language: string, text: string): SgNode {
  const readings = fragmentReadings(language, text).map((reading) => parseText(language, reading));
  const costs = readings.map(unreadable);
  const best = costs.indexOf(Math.min(...costs));
  return readings[best] ?? parseText(language, text);
}

/** Additions stay on the first line, so rows keep their meaning. */
function fragmentReadings(language: string, text: string): string[] {
  if (language === "php") {
    const opening = text.indexOf("<?");
    const closing = text.indexOf("?>");
    const startsAsPage = opening !== -1 && (closing === -1 || opening < closing);
    const php = startsAsPage ? text : `<?php ${text}`;
    return startsAsPage ? [php] : [php, `<?php class A { ${text}`];
  }
  // A hunk may begin inside a docstring.
  if (language === "python") return [text, `"""${text}`];
  // At the top level `if a == b.c {` reads as a composite literal.
  if (language === "go") return [text, `func f() { ${text}\n}`];
  return ["javascript", "typescript", "tsx", "java"].includes(language) ? [text, `class A { ${text}\n}`] : [text];
}

function unreadable(root: SgNode): number {
  return root.findAll({ rule: { kind: "ERROR" } }).reduce((sum, node) => sum + node.text().length, 0);
}

function linesOf(node: SgNode, firstLine: number): Match {
  const { start, end } = node.range();
  // A node that swallowed its newline ends at column 0 of the next row.
  const lastRow = end.column === 0 && end.line > start.line ? end.line - 1 : end.line;
  return { startLine: firstLine + start.line, line: firstLine + lastRow };
}

function deeperThan(node: SgNode, limit: number): boolean {
  let level: readonly SgNode[] = [node];
  for (let depth = 0; depth < limit; depth += 1) {
    level = level.flatMap((parent) => parent.namedChildren());
    if (level.length === 0) return false;
  }
  return true;
}
