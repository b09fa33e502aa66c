// Results of other tools as findings: those on lines that the change adds.

import type { RuleSetting } from "../../config/repo-config.ts";
import { ignoreReason } from "../../domain/code/ignore-comment.ts";
import { type Finding, findingId, type HeldBack, type Suggestion } from "../../domain/finding.ts";
import { firstNotBefore } from "../../domain/first-not-before.ts";
import type { Degraded } from "../../domain/omissions.ts";
import type { FileDiff, PullRequestContext } from "../../domain/pull-request.ts";
import { counted } from "../../domain/text/counted.ts";
import { TOOL_RESULTS, type ToolRegion, type ToolResult, toolRuleId } from "../../domain/tool-result.ts";
import { joinedClaims, mattersIn } from "./same-matter.ts";

/** More of one review say nothing new; the rest is counted. */
const MOST_FINDINGS = 500;
/** Identity needs the words of a place, not all of a long one. */
const MOST_IDENTITY_LINES = 50;

/**
 * Findings of our rules joined with those of other tools.
 *
 * @param ours findings of our rules, in order
 * @param settings `rules`, which may switch a tool's rule off or change its severity
 * @returns those of tools apart that a comment in the code holds back: who wrote it decides
 */
export function withToolFindings(
  ours: readonly Finding[],
  { files, headTexts, leftOut, tools }: Pick<PullRequestContext, "files" | "headTexts" | "leftOut" | "tools">,
  settings: ReadonlyMap<string, RuleSetting>,
) {
  if (tools.results.length === 0) return { findings: ours, heldBack: [], degraded: [] };
  const byPath = new Map(files.map((file) => [file.path, file]));
  const known = new Map<string, KnownFile>();
  const unread = new Set(leftOut.map(({ path }) => path));
  const claims: Finding[] = [];
  const heldBack: HeldBack[] = [];
  const lost = { noLine: new Map<string, number>(), leftOut: new Map<string, number>(), over: 0 };
  const occurrences = new Map<string, number>();
  for (const result of tools.results) {
    const setting = settings.get(toolRuleId(result));
    const file = byPath.get(result.path);
    if (setting === "off") continue;
    if (file === undefined) {
      if (unread.has(result.path)) count(lost.leftOut, `${result.tool}\n${result.path}`);
      continue;
    }
    const here = known.get(file.path) ?? knownFile(file, headTexts.get(file.path) ?? null);
    known.set(file.path, here);
    const lines = linesOf(result.region, here);
    if (lines === null) count(lost.noLine, result.tool);
    const anchor = lines === null ? null : anchorOf(lines, here);
    if (lines === null || anchor === null) continue;
    if (claims.length + heldBack.length >= MOST_FINDINGS) {
      lost.over += 1;
      continue;
    }
    const finding = findingOf(result, { lines, anchor, here, setting }, occurrences);
    const ignored = ignoreReason(toolRuleId(result), anchor, here.texts);
    if (ignored === null) claims.push(finding);
    else heldBack.push({ finding, reason: `kodiai-ignore: ${ignored}` });
  }
  const codeAt = ({ path, startLine, line }: Finding) => {
    const here = known.get(path);
    return here === undefined ? "" : wordsAt({ startLine, line }, here).join("\n");
  };
  return {
    heldBack,
    findings: joinedClaims([...ours, ...claims], codeAt),
    degraded: [
      ...[...lost.noLine].map(([tool, many]) =>
        cut(`${tool}: ${counted(many, "result")} without a line, in changed files`),
      ),
      ...[...lost.leftOut].map(([key, many]) => {
        const [tool = "", path = ""] = key.split("\n");
        return cut(`${tool}: ${counted(many, "result")} about ${path}, which is left out`);
      }),
      ...(lost.over > 0 ? [cut(`${counted(lost.over, "result")} over the limit of ${MOST_FINDINGS}, not shown`)] : []),
    ],
  };
}

function cut(reason: string): Degraded {
  return { part: TOOL_RESULTS, reason };
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

interface KnownFile {
  readonly file: FileDiff;
  readonly headText: string | null;
  /** By line; without a CR at the end. */
  readonly texts: ReadonlyMap<number, string>;
  readonly added: readonly number[];
  /** The beginning of each line, in UTF-16 units; null when the whole text is not known. */
  readonly starts: readonly number[] | null;
}

function knownFile(file: FileDiff, headText: string | null): KnownFile {
  const shown = file.hunks.flatMap(({ lines }) => lines.filter(({ newLine }) => newLine !== null));
  const added = shown.flatMap(({ kind, newLine }) => (kind === "added" && newLine !== null ? [newLine] : []));
  const all =
    headText === null
      ? shown.map(({ newLine, text }) => [newLine ?? 0, text] as const)
      : headText.split("\n").map((text, at) => [at + 1, text] as const);
  const starts = headText === null ? null : [0];
  for (const [, text] of headText === null ? [] : all) starts?.push((starts.at(-1) ?? 0) + text.length + 1);
  const texts = new Map(all.map(([line, text]) => [line, text.endsWith("\r") ? text.slice(0, -1) : text]));
  return { file, headText, texts, added: added.sort((a, b) => a - b), starts };
}

interface Lines {
  readonly startLine: number;
  readonly line: number;
}

/** The lines of a region; null where it names none that is known. */
function linesOf(region: ToolRegion, { file, headText, starts }: KnownFile): Lines | null {
  if (region.kind === "none") return null;
  // Of a file that was there before nobody knows whether the change is meant.
  if (region.kind === "file") return file.status === "added" ? { startLine: 1, line: 1 } : null;
  if (region.kind === "lines") {
    const { startLine, line, endColumn } = region;
    // A region that ends at the first column of a line ends with the line before.
    return { startLine, line: endColumn === 1 ? Math.max(startLine, line - 1) : line };
  }
  if (headText === null || starts === null) return null;
  if (region.kind === "characters") {
    if (region.from > headText.length) return null;
    const last = Math.max(region.from, region.to - 1);
    return { startLine: firstAfter(starts, region.from), line: firstAfter(starts, last) };
  }
  // A text that occurs twice names no place.
  const text = region.text.replace(/^\n+|(?<!\s)\s+$/g, "");
  const at = headText.indexOf(text);
  if (at === -1 || headText.includes(text, at + 1)) return null;
  return { startLine: firstAfter(starts, at), line: firstAfter(starts, at + text.length - 1) };
}

/** How many of an ordered list are not greater: of the starts of lines, the 1-based line. */
function firstAfter(ordered: readonly number[], value: number): number {
  return firstNotBefore(ordered, (one) => one, value + 1);
}

/** The lines in the hunk of their first added line; null when the change adds none of them. */
function anchorOf({ startLine, line }: Lines, { file, added }: KnownFile): Lines | null {
  const first = added[firstAfter(added, startLine - 1)];
  if (first === undefined || first > line) return null;
  const hunk = file.hunks.find(({ newStart, newLines }) => first >= newStart && first < newStart + newLines);
  if (hunk === undefined) return null;
  return {
    startLine: Math.max(startLine, hunk.newStart),
    line: Math.min(line, hunk.newStart + hunk.newLines - 1),
  };
}

/** A longer comment would hide its subject: of a longer place it is on the first added line. */
const MOST_LINES = 30;

function findingOf(
  result: ToolResult,
  { lines, anchor, here, setting }: { lines: Lines; anchor: Lines; here: KnownFile; setting: RuleSetting | undefined },
  occurrences: Map<string, number>,
): Finding {
  const { path, previousPath, status } = here.file;
  const rule = toolRuleId(result);
  const first = here.added[firstAfter(here.added, lines.startLine - 1)] ?? anchor.startLine;
  const place = anchor.line - anchor.startLine < MOST_LINES ? anchor : { startLine: first, line: first };
  const words = wordsAt(lines, here);
  const tags = mattersIn(result.tags);
  // A finding outlives the renaming of its file.
  const ownPath = status === "renamed" && previousPath !== null ? previousPath : path;
  const key = JSON.stringify([rule, ownPath, words]);
  const occurrence = occurrences.get(key) ?? 0;
  occurrences.set(key, occurrence + 1);
  return {
    id: findingId(rule, ownPath, words, occurrence),
    path,
    side: "RIGHT",
    ...place,
    severity: setting === undefined || setting === "off" ? result.severity : setting,
    category: result.category,
    rule,
    ...(tags.length === 0 ? {} : { tags }),
    title: `${result.tool}: ${result.title}`,
    body: result.body,
    source: "tool",
    confidence: result.confidence,
    suggestion: suggestionOf(result.fix, place, here),
    precedents: [],
  };
}

function wordsAt({ startLine, line }: Lines, { texts }: KnownFile): readonly string[] {
  const count = Math.min(MOST_IDENTITY_LINES, line - startLine + 1);
  return Array.from({ length: count }, (_, at) => texts.get(startLine + at) ?? "");
}

/** The whole lines of the place with the replacement in them; null when it reaches beyond them. */
function suggestionOf(fix: ToolResult["fix"], { startLine, line }: Lines, { texts }: KnownFile): Suggestion | null {
  if (fix === null || fix.region.startLine < startLine) return null;
  const { region } = fix;
  // Up to the first column of the next line: the last line end goes, and the text brings its own.
  const isToNext = region.line === line + 1 && region.endColumn === 1;
  if (region.line > line && !isToNext) return null;
  const textAt = (at: number) => (at > line ? "" : (texts.get(at) ?? ""));
  const [first, last] = [textAt(region.startLine), textAt(region.line)];
  // Without a last column the region ends with the text of its last line.
  const [from, to] = [(region.startColumn ?? 1) - 1, (region.endColumn ?? last.length + 1) - 1];
  if (from > first.length || to > last.length || (region.startLine === region.line && to < from)) return null;
  const [before, after] = [first.slice(0, from), last.slice(to)];
  const given = fix.text.replaceAll("\r\n", "\n");
  // Semgrep names the place of its match, and gives the whole lines.
  const isWhole = before + after !== "" && given.startsWith(before) && given.endsWith(after);
  const changed = isWhole ? given : before + given + after;
  if (isToNext && changed !== "" && !changed.endsWith("\n")) return null;
  const own = isToNext ? (changed === "" ? [] : [changed.slice(0, -1)]) : [changed];
  const kept = (start: number, end: number) => Array.from({ length: Math.max(0, end - start) }, (_, at) => start + at);
  const above = kept(startLine, region.startLine).map((at) => texts.get(at));
  const below = kept(region.line + 1, line + 1).map((at) => texts.get(at));
  if ([...above, ...below].includes(undefined)) return null;
  return { startLine, line, text: [...above, ...own, ...below].join("\n") };
}
