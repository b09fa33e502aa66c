// ast-grep's glue: one parse of a file for all rules, and matches as lines of the head. Of a file
// known by hunks each new side is a fragment; tree-sitter fixes what is cut off.

import type { SgNode } from "@ast-grep/napi";
import { cutText } from "../../domain/text/cut-text.ts";
import type { InspectedFile } from "../../ports.ts";
import { grammarOf, kindNumber, parseAside, parseText, unfit } from "../grammars.ts";
import { follow } from "./follow.ts";
import type { Match, Rule, Shape, StructuralRule } from "./rule.ts";

/**
 * Deepest syntax tree that rules walk. Looking for an ancestor or descendant is quadratic in depth
 * (measured: .6 s a rule at 3,000 levels, 10 ms at 400); the deepest of written code seen was below
 * 100.
 */
const MAX_DEPTH = 250;

/** A stretch of one file that rules search: its syntax, and the head line on which row 0 lies. */
interface Region {
  readonly root: SgNode;
  readonly text: string;
  readonly firstLine: number;
  /** Subtrees with every node that touches an added line, but those of `around`. */
  readonly changed: readonly SgNode[];
  /** Nodes that enclose them: larger than what changed, so each is tested and not searched. */
  readonly around: readonly SgNode[];
  /** Null for the code as written (`plain`); else the lines of uses and of what they were given. */
  readonly moved: { readonly lines: ReadonlyMap<number, number>; readonly plain: SgNode } | null;
}

interface SyntaxTree {
  /** False when only hunks were parsed. */
  readonly whole: boolean;
  readonly regions: readonly Region[];
  /** Why part of the file is not searched, or null when all of it is. */
  readonly skipped: string | null;
}

/**
 * Reads a file once for all rules.
 *
 * @param added head lines that the change adds
 * @returns the tree, why there is none, or null when no rule speaks about the language
 */
export async function parseFile(file: InspectedFile, added: ReadonlySet<number>): Promise<SyntaxTree | string | null> {
  const [language] = languageKeys(file);
  if (language === undefined || grammarOf(language) === null) return null;
  const pieces = piecesOf(file);
  for (const piece of pieces) {
    const reason = unfit(piece.text) ?? unending(piece.text);
    if (reason !== null) return reason;
  }
  const reading = pieces.map(async ({ text, firstLine, whole }) => {
    // What a fragment takes is less than another thread costs.
    const root = whole ? await parseAside(language, text) : parseFragment(language, text);
    const parts = changedParts(root, text, firstLine, added);
    return parts === null ? null : { root, text, firstLine, ...parts, moved: null };
  });
  const read = await Promise.all(reading);
  const plain = read.filter((region) => region !== null);
  const regions = plain.flatMap((region) => [region, ...followedIn(language, region, added)]);
  const skipped = plain.length < read.length ? `code nested deeper than ${MAX_DEPTH} levels` : null;
  return { whole: pieces.every((piece) => piece.whole), regions, skipped };
}

/** The region with values in place of names, if that may tell more about an added line. */
function followedIn(language: string, { root, text, firstLine }: Region, added: ReadonlySet<number>): Region[] {
  const followed = follow(root, text, (kind) => kindNumber(language, kind) !== 0);
  const rows = [...(followed?.rows ?? [])].map(([use, given]) => [firstLine + use, firstLine + given] as const);
  const useful = rows.filter((lines) => lines.some((line) => added.has(line)));
  if (followed === null || useful.length === 0) return [];
  const again = parseText(language, followed.text);
  const parts = changedParts(again, followed.text, firstLine, new Set(useful.map(([use]) => use)));
  const moved = { lines: new Map(useful.filter(([use]) => !added.has(use))), plain: root };
  return parts === null ? [] : [{ root: again, text: followed.text, firstLine, ...parts, moved }];
}

/** A node of as many lines is searched whole, however little of it changed. */
const SMALL_LINES = 12;

/** Where nodes that touch added lines are; null if they lie deeper than rules walk. */
function changedParts(
  root: SgNode,
  text: string,
  firstLine: number,
  added: ReadonlySet<number>,
): Pick<Region, "changed" | "around"> | null {
  const rows = text.split("\n").length;
  // How many rows before each row were added.
  const before = [0];
  for (let row = 0; row <= rows; row += 1) before.push((before[row] ?? 0) + (added.has(firstLine + row) ? 1 : 0));
  const changed: SgNode[] = [];
  const around: SgNode[] = [];
  const visit = (node: SgNode, depth: number): boolean => {
    const { start, end } = node.range();
    const touched = (before[end.line + 1] ?? 0) - (before[start.line] ?? 0);
    if (touched === 0) return true;
    const lines = end.line - start.line + 1;
    if (lines > SMALL_LINES && touched * 2 <= lines) {
      around.push(node);
      return depth < MAX_DEPTH && node.namedChildren().every((child) => visit(child, depth + 1));
    }
    changed.push(node);
    return !deeperThan(node, MAX_DEPTH - depth);
  };
  return visit(root, 0) ? { changed, around } : null;
}

/** Whether a node's tree has more levels. One of fewer characters than levels has not. */
function deeperThan(node: SgNode, levels: number): boolean {
  if (levels <= 0) return true;
  const { start, end } = node.range();
  return end.index - start.index > levels && node.children().some((child) => deeperThan(child, levels - 1));
}

/** A node that a rule matched, and its head lines. */
interface NodeMatch extends Match {
  readonly node: SgNode;
}

/** Whether a match came from a syntax tree. */
export function isNodeMatch(match: Match): match is NodeMatch {
  return "node" in match;
}

/** One rule object of a rule, and numbers of the kinds of node it can match; null: any kind. */
export interface Search {
  readonly rule: StructuralRule;
  readonly shape: Shape;
  readonly kinds: readonly number[] | null;
}

/** What `rules` search for in a file with these language keys. */
export function searchesOf(rules: readonly StructuralRule[], languages: readonly string[]): readonly Search[] {
  const [language = ""] = languages;
  const shapesOf = ({ match }: StructuralRule) =>
    languages.flatMap((key) => (Object.hasOwn(match, key) ? (match[key] ?? []) : []));
  return rules.flatMap((rule) =>
    shapesOf(rule).map((shape) => {
      const kinds = [...(kindsOf(shape) ?? [])].map((kind) => kindNumber(language, kind));
      // A kind that the grammar does not know is for ast-grep to refuse.
      return { rule, shape, kinds: kinds.length === 0 || kinds.includes(0) ? null : kinds };
    }),
  );
}

/** A rule object, and the nodes of a region that it may match; null: any node. */
export interface Try extends Search {
  readonly region: Region;
  readonly nodes: readonly SgNode[] | null;
}

/**
 * Compares kinds and words of the changed nodes with what each rule needs: ast-grep compiles a rule
 * each time it runs, which takes up to 2 ms.
 *
 * @returns what is left to try, by rule
 */
export function triesOf(tree: SyntaxTree, searches: readonly Search[]): ReadonlyMap<Rule, readonly Try[]> {
  const some = searches.filter(({ rule }) => tree.whole || rule.wholeFile !== true);
  const tries = tree.regions.flatMap((region) => {
    const ofKind = nodesByKind(region);
    // A repository's own rule has no such words, and means the code as written.
    const isMeant = (rule: StructuralRule) =>
      (region.moved === null || rule.onlyWith !== undefined) &&
      rule.onlyInFile?.test(region.text) !== false &&
      rule.notInFile?.test(region.text) !== true;
    return some.flatMap((search): Try[] => {
      const mayMatch = ({ text }: { readonly text: string }) => search.rule.onlyWith?.test(text) !== false;
      if (search.kinds === null)
        return mayMatch(region) && isMeant(search.rule) ? [{ ...search, region, nodes: null }] : [];
      const nodes = search.kinds.flatMap((kind) =>
        ofKind(kind)
          .filter(mayMatch)
          .map(({ node }) => node),
      );
      return nodes.length === 0 || !isMeant(search.rule) ? [] : [{ ...search, region, nodes }];
    });
  });
  return Map.groupBy(tries, ({ rule }) => rule);
}

/** Nodes of a kind that touch an added line, each found and read once. */
function nodesByKind({ changed, around }: Region) {
  const known = new Map<number, readonly { readonly node: SgNode; readonly text: string }[]>();
  return (kind: number) => {
    const find = () => [...changed.flatMap((part) => part.findAll(kind)), ...around.filter((one) => one.matches(kind))];
    const nodes = known.get(kind) ?? find().map((node) => ({ node, text: node.text() }));
    known.set(kind, nodes);
    return nodes;
  };
}

/** More nodes than this in one region cost more to try one by one than a search of all of it. */
const MAX_TRIES = 3;

/** Every match of a rule object; some touch no added line. Throws on an invalid rule. */
export function findMatches({ region, shape, nodes }: Try): NodeMatch[] {
  const found =
    nodes === null || nodes.length > MAX_TRIES
      ? region.root.findAll({ rule: shape })
      : nodes.filter((node) => node.matches({ rule: shape }));
  const matches = found.map((node) => ({ node, ...linesOf(node, region.firstLine) }));
  if (region.moved === null) return matches;
  const { lines, plain } = region.moved;
  const placed = matches.map((match) => ({
    ...match,
    given: [...lines].find(([use]) => use >= match.startLine && use <= match.line)?.[1],
  }));
  if (placed.every(({ given }) => given === undefined)) return matches;
  // A match in the code as written was there before the change.
  const before = new Set(plain.findAll({ rule: shape }).map((node) => linesOf(node, region.firstLine).startLine));
  return placed.flatMap(({ node, startLine, line, given }) => {
    if (given === undefined) return [{ node, startLine, line }];
    return before.has(startLine) ? [] : [{ node, startLine: given, line: given }];
  });
}

/** A node must meet every condition of a rule object, so each narrows the kinds. */
function kindsOf({ kind, all, any }: Shape): ReadonlySet<string> | null {
  const conditions: (ReadonlySet<string> | null)[] = [];
  if (typeof kind === "string" && /^\w+$/.test(kind)) conditions.push(new Set([kind]));
  if (Array.isArray(all)) conditions.push(...all.map(kindsOf));
  if (Array.isArray(any)) {
    const each = any.map(kindsOf);
    conditions.push(each.includes(null) ? null : new Set(each.flatMap((kinds) => [...(kinds ?? [])])));
  }
  const [first, ...others] = conditions.filter((kinds) => kinds !== null);
  if (first === undefined) return null;
  return new Set([...first].filter((kind) => others.every((kinds) => kinds.has(kind))));
}

/** An error in one line of at most 300 characters. Of ast-grep's causes the last says the fix. */
export function causesOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const causes = text
    .slice(0, 2_000)
    .split("\n")
    .map((line) => line.replace(/^[\s|>-]+/, "").trim())
    .filter((line) => line !== "");
  return cutText(causes.join(" "), 300);
}

/** HTML+PHP (`.phtml`) and Blade: pages with code between tags of PHP, as a `.php` file may be. */
const PHP_PAGES: ReadonlySet<string> = new Set(["htmlpphp", "blade"]);

/** Keys of grammars and rules for a file, most specific first. */
export function languageKeys(file: InspectedFile): string[] {
  const { language } = file.facts;
  if (PHP_PAGES.has(language)) return ["php"];
  const isTsx = language === "tsx" || (language === "typescript" && /\.tsx$/i.test(file.diff.path));
  return isTsx ? ["tsx", "typescript"] : [language];
}

/** The head text where it is known (also of an added file), else the new side of each hunk. */
export function piecesOf(file: InspectedFile) {
  if (file.headText !== null) return [{ text: file.headText, firstLine: 1, whole: true }];
  const { hunks, status, complete } = file.diff;
  const whole = status === "added" && complete && hunks.length === 1;
  return hunks.map(({ lines, newStart }) => {
    const known = lines.filter(({ newLine }) => newLine !== null).map(({ text }) => text);
    return { text: known.join("\n"), firstLine: newStart, whole };
  });
}

/** Comment openings without an end that are still taken for a slip. */
const MAX_OPEN_COMMENTS = 50;

/** tree-sitter's recovery from runs of comment openings is unbounded: 6 kB took 1.5 GB. */
function unending(text: string): string | null {
  const open = text.split("/*").length - text.split("*/").length;
  return open > MAX_OPEN_COMMENTS ? "comments are opened and never closed" : null;
}

/** Reads a fragment as it may stand in a file, and keeps the reading that leaves least over. */
function parseFragment(language: string, text: string): SgNode {
  const [first = text, ...others] = fragmentReadings(language, text);
  let best = parseText(language, first);
  let cost = unreadable(best);
  for (const reading of others) {
    if (cost === 0) break;
    const other = parseText(language, reading);
    const left = unreadable(other);
    if (left < cost) [best, cost] = [other, left];
  }
  return best;
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

/** Characters that a grammar could not read, of nested errors more than once. */
export function unreadable(root: SgNode): number {
  return root.findAll({ rule: { kind: "ERROR" } }).reduce((sum, node) => sum + node.text().length, 0);
}

function linesOf(node: SgNode, firstLine: number): Match {
  const { start, end } = node.range();
  // A node that swallowed its newline ends at column 0 of the next row.
  const lastRow = end.column === 0 && end.line > start.line ? end.line - 1 : end.line;
  return { startLine: firstLine + start.line, line: firstLine + lastRow };
}
