// ast-grep's glue: which grammar reads a file, one parse for all rules, and matches given back as lines of the head file.
// Where only hunks are known, each hunk's new side is read as a fragment; tree-sitter mends what is cut off.
import type { SgNode } from "@ast-grep/napi";
import type { Hunk } from "../../domain/pull-request.ts";
import type { InspectedFile } from "../../ports.ts";
import { grammarOf, MAX_LINE, parseText, unfit } from "../grammars.ts";
import type { Match } from "./rule.ts";

/**
 * Deepest syntax tree that rules walk. Looking for an ancestor or descendant is quadratic in depth (measured: .6 s a rule
 * at 3,000 levels, 10 ms at 400); the deepest of written code seen was below 100.
 */
const MAX_DEPTH = 250;

/** A stretch of one file that rules search: syntax nodes, and the head line on which their row 0 lies. */
interface Region {
  readonly nodes: readonly SgNode[];
  readonly firstLine: number;
}

export interface SyntaxTree {
  readonly kind: "tree";
  /** Keys under which rules for this file may stand, most specific first: `["tsx", "typescript"]`. */
  readonly languages: readonly string[];
  /** False when only hunks were parsed. */
  readonly whole: boolean;
  readonly regions: readonly Region[];
  /** Parts that are not searched, with the reason. */
  readonly skipped: readonly string[];
}

/** The file, or part of it, is not searched by structural rules. */
export interface NotParsed {
  readonly kind: "not-parsed";
  readonly reason: string;
}

/**
 * Reads a file once for all rules.
 *
 * @param added the head lines that the change adds; only top-level pieces that touch one are searched
 * @returns the tree, why there is none, or null when no structural rule speaks about the file's language
 */
export function parseFile(file: InspectedFile, added: ReadonlySet<number>): SyntaxTree | NotParsed | null {
  const languages = languageKeys(file);
  const [language] = languages;
  if (language === undefined || grammarOf(language) === null) return null;
  const pieces = piecesOf(file);
  for (const piece of pieces) {
    const reason = unfit(piece.text);
    if (reason !== null) return { kind: "not-parsed", reason };
  }
  const skipped: string[] = [];
  const regions = pieces.map((piece) => {
    const root = piece.whole ? parseText(language, piece.text) : parseFragment(language, piece.text);
    const nodes = root.children().filter((node) => touches(node, piece.firstLine, added));
    const shallow = nodes.filter((node) => !deeperThan(node, MAX_DEPTH));
    if (shallow.length < nodes.length) skipped.push(`code nested deeper than ${MAX_DEPTH} levels`);
    return { nodes: shallow, firstLine: piece.firstLine };
  });
  return { kind: "tree", languages, whole: pieces.every((piece) => piece.whole), regions, skipped };
}

/**
 * Every place where an ast-grep rule matches.
 *
 * @param config an ast-grep rule object, or `{rule, constraints}`
 * @returns head lines, in no particular order. Throws ast-grep's error when the rule is not valid
 */
export function findMatches(tree: SyntaxTree, config: Readonly<Record<string, unknown>>): Match[] {
  const matcher = asMatcher(config);
  return tree.regions.flatMap(({ nodes, firstLine }) =>
    nodes.flatMap((node) => node.findAll(matcher).map((found) => linesOf(found, firstLine))),
  );
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
  return causes.join(" ").slice(0, 300);
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
  if (language === "python") return [dedent(text)];
  return ["javascript", "typescript", "tsx", "java"].includes(language) ? [text, `class A { ${text}\n}`] : [text];
}

function dedent(text: string): string {
  const lines = text.split("\n");
  const widths = lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length);
  const indent = widths.reduce((least, width) => Math.min(least, width), MAX_LINE);
  return lines.map((line) => line.slice(Math.min(indent, line.length - line.trimStart().length))).join("\n");
}

function unreadable(root: SgNode): number {
  return root.findAll({ rule: { kind: "ERROR" } }).reduce((sum, node) => sum + node.text().length, 0);
}

function touches(node: SgNode, firstLine: number, added: ReadonlySet<number>): boolean {
  const { startLine, line } = linesOf(node, firstLine);
  for (let number = startLine; number <= line; number += 1) if (added.has(number)) return true;
  return false;
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
