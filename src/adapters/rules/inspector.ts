// The engine: every rule over every file; what touches added lines becomes a finding, everything
// else a value with a reason. One rule that fails never takes the others with it.

import type { CustomRule, RuleSetting } from "../../config/repo-config.ts";
import { ignoreReason } from "../../domain/code/ignore-comment.ts";
import { type Finding, findingId, type Suggestion } from "../../domain/finding.ts";
import { firstNotBefore } from "../../domain/first-not-before.ts";
import type { Degraded } from "../../domain/omissions.ts";
import type { FileDiff, Hunk } from "../../domain/pull-request.ts";
import type { InspectedFile, Inspection, Inspector } from "../../ports.ts";
import { grammarOf, parseText } from "../grammars.ts";
import { codeInPage } from "./code-in-pages.ts";
import { compileCustomRules } from "./custom.ts";
import { inspectionOf, joinInspections, onlyDegraded, wordsOfRule } from "./inspection.ts";
import { addedNumbers, lineTexts, oncePerFile } from "./known-lines.ts";
import { isAside } from "./line/line-rule.ts";
import { namePlace } from "./name-place.ts";
import type { Match, Rule } from "./rule.ts";
import { FILE_RULES } from "./rules.ts";
import {
  causesOf,
  findMatches,
  isNodeMatch,
  languageKeys,
  parseFile,
  piecesOf,
  type Search,
  searchesOf,
  type Try,
  triesOf,
  unreadable,
} from "./syntax.ts";

/** More matches of one rule in one file say nothing new; the rest is counted as degraded. */
const MAX_MATCHES = 200;
/** More of one rule in one file get no suggestion, since the whole file is parsed for each. */
const MAX_SUGGESTIONS = 20;
/** Identity needs the words of a match, not all of a long one. */
const MAX_IDENTITY_LINES = 50;

/**
 * The reviewer without a model, in this process: no question to a grammar can be interrupted.
 *
 * @param rules the built-in rules; others only in tests
 */
export function rulesInspector(rules: readonly Rule[] = FILE_RULES): Inspector {
  return {
    inspect: (files, settings, customRules) => prepareRules(settings, customRules, rules)(files),
  };
}

/** Files of which syntax is read on other threads while the rules search what was read. */
const FILES_AT_ONCE = 4;

/**
 * Makes the rules of one review ready for its files.
 *
 * @param rules the built-in rules; others only in tests
 * @returns inspects files, and reports what is wrong with the repository's own rules; `onlyLines`:
 *   without a syntax tree, so that rules that need one do not run
 */
export function prepareRules(
  settings: ReadonlyMap<string, RuleSetting>,
  customRules: readonly CustomRule[],
  rules: readonly Rule[] = FILE_RULES,
) {
  const custom = compileCustomRules(customRules, new Set(rules.map((rule) => rule.id)));
  const active = [...rules, ...custom.rules].filter((rule) => settings.get(rule.id) !== "off");
  const ofLines = active.filter((rule) => "check" in rule);
  const structural = active.filter((rule) => "match" in rule);
  const searches = new Map<string, readonly Search[]>();
  const searchesFor = (file: InspectedFile): readonly Search[] => {
    const languages = languageKeys(file);
    const known = searches.get(languages.join()) ?? searchesOf(structural, languages);
    searches.set(languages.join(), known);
    return known;
  };
  const problems = custom.problems.map(({ id, message }) => ({ part: `custom rule ${id}`, reason: message }));
  return async (files: readonly InspectedFile[], onlyLines = false): Promise<Inspection> => {
    const inspectOne = (file: InspectedFile) =>
      onlyLines ? inspectFile(file, ofLines, null, settings) : inspectFile(file, active, searchesFor(file), settings);
    const parts = [onlyDegraded(...problems)];
    for (let at = 0; at < files.length; at += FILES_AT_ONCE) {
      const some = files.slice(at, at + FILES_AT_ONCE);
      const all = onlyLines ? some : some.flatMap((file) => [file, ...partsOf(file)]);
      parts.push(...(await Promise.all(all.map(inspectOne))));
    }
    return joinInspections(parts);
  };
}

/** A page's code in one language, for rules that need its grammar: the others read the page. */
interface PagePart extends InspectedFile {
  readonly isPart: true;
}

function partsOf(file: InspectedFile): readonly PagePart[] {
  const { facts, diff } = file;
  const [known] = piecesOf(file);
  const codes = known?.whole === true ? [...codeInPage(diff.path, known.text)] : [];
  return codes.map(([language, code]) => ({ ...file, facts: { ...facts, language }, headText: code, isPart: true }));
}

/** Said once for all files, however many they are. */
const ONLY_HUNKS: Degraded = {
  part: "head-text",
  reason: "some files are known by their hunks only: rules that need the whole file did not run there",
};

/** What the rules share about one file. */
interface Subject {
  readonly file: InspectedFile;
  readonly added: ReadonlySet<number>;
  /** The same, in order. */
  readonly addedLines: readonly number[];
  /** Of the structural rules, those that may match. */
  readonly tries: ReadonlyMap<Rule, readonly Try[]>;
}

async function inspectFile(
  file: InspectedFile,
  rules: readonly Rule[],
  searches: readonly Search[] | null,
  settings: ReadonlyMap<string, RuleSetting>,
): Promise<Inspection> {
  const added = addedNumbers(file.diff);
  const addedLines = [...added].sort((a, b) => a - b);
  if (file.diff.status === "removed" || file.diff.binary || added.size === 0) return onlyDegraded();
  const degraded: Degraded[] = [];
  const tries = searches === null ? new Map() : await triesIn(file, added, searches, degraded);
  const parts: Inspection[] = [];
  for (const rule of rules) {
    if (!rule.inTests && isAside(file)) continue;
    if ("check" in rule ? "isPart" in file : !tries.has(rule)) continue;
    try {
      parts.push(await inspectWith(rule, { file, added, addedLines, tries }, settings.get(rule.id)));
    } catch (error) {
      const { path } = file.diff;
      degraded.push({ part: `rule ${rule.id}`, reason: `${path}: ${causesOf(error)}`, paths: [path] });
    }
  }
  return joinInspections([...parts, onlyDegraded(...degraded)]);
}

async function triesIn(
  file: InspectedFile,
  added: ReadonlySet<number>,
  searches: readonly Search[],
  degraded: Degraded[],
): Promise<Subject["tries"]> {
  const say = (reason: string): void => {
    const { path } = file.diff;
    degraded.push({ part: "structural-rules", reason: `${path}: ${reason}`, paths: [path] });
  };
  try {
    const tree = await parseFile(file, added);
    if (typeof tree === "string") say(tree);
    if (tree === null || typeof tree === "string") return new Map();
    if (tree.skipped !== null) say(tree.skipped);
    if (!tree.whole) degraded.push(ONLY_HUNKS);
    return triesOf(tree, searches);
  } catch (error) {
    say(causesOf(error));
    return new Map();
  }
}

async function inspectWith(rule: Rule, subject: Subject, setting: RuleSetting | undefined): Promise<Inspection> {
  const { file, addedLines, tries } = subject;
  const found = "check" in rule ? [...(await rule.check(file))] : (tries.get(rule) ?? []).flatMap(findMatches);
  const matches = withoutOverlap(found.filter((match) => anchorOf(match, file.diff, addedLines) !== null));
  const occurrences = new Map<string, number>();
  const shown = matches.slice(0, MAX_MATCHES).map((match, at) => ({
    finding: findingOf(rule, match, subject, setting, occurrences, at < MAX_SUGGESTIONS && !("isPart" in file)),
    ignored: ignoreReason(rule.id, match, lineTexts(file)),
  }));
  const over = matches.length - MAX_MATCHES;
  const reason = `${file.diff.path}: ${over} more matches than the ${MAX_MATCHES} that are shown`;
  return { ...inspectionOf(shown), degraded: over > 0 ? [{ part: `rule ${rule.id}`, reason }] : [] };
}

function findingOf(
  rule: Rule,
  match: Match,
  { file, added, addedLines }: Subject,
  setting: RuleSetting | undefined,
  occurrences: Map<string, number>,
  mayOffer: boolean,
): Finding {
  const { status, path, previousPath } = file.diff;
  const { startLine, line } = anchorOf(match, file.diff, addedLines) ?? match;
  const texts = lineTexts(file);
  const words = numbersOf(match)
    .slice(0, MAX_IDENTITY_LINES)
    .map((number) => texts.get(number) ?? "");
  const key = words.map((text) => text.replace(/\s+/g, " ").trim()).join("\n");
  const occurrence = occurrences.get(key) ?? 0;
  occurrences.set(key, occurrence + 1);
  const suggestion = mayOffer ? suggestionOf(rule, match, file, added) : null;
  const fits = suggestion?.startLine === startLine && suggestion.line === line;
  // A finding outlives the renaming of its file: the name in the base is the one that stays.
  const ownPath = status === "renamed" && previousPath !== null ? previousPath : path;
  // Rules of ours have such words; a repository's own is quoted as it is.
  const here = "onlyWith" in rule && isNodeMatch(match) ? namePlace(match.node) : "";
  return {
    id: findingId(rule.id, ownPath, words, occurrence),
    path,
    side: "RIGHT",
    startLine,
    line,
    ...wordsOfRule(rule, setting, match.detail, { here }),
    suggestion: fits ? suggestion : null,
  };
}

// Where a match is spoken about: on added lines, and for GitHub inside one hunk.

/** The part of a match that lies in the hunk of its first added line; null when it touches none. */
function anchorOf(match: Match, diff: FileDiff, added: readonly number[]): Match | null {
  const first = added[firstNotBefore(added, (line) => line, match.startLine)];
  if (first === undefined || first > match.line) return null;
  const hunk = diff.hunks[firstNotBefore(diff.hunks, ({ newStart, newLines }) => newStart + newLines - 1, first)];
  return hunk === undefined ? null : within(match, hunk);
}

function within(match: Match, hunk: Hunk): Match {
  const startLine = Math.max(match.startLine, hunk.newStart);
  const line = Math.min(match.line, hunk.newStart + hunk.newLines - 1);
  return { ...match, startLine, line };
}

/** Lines that are checked together while none is taken: matches may lie in each other, deep. */
const BLOCK = 256;

/** By line. Of overlapping matches the shortest, then the first, stays: a comment should point. */
function withoutOverlap(matches: readonly Match[]): Match[] {
  const shortestFirst = matches.toSorted(
    (a, b) => a.line - a.startLine - (b.line - b.startLine) || a.startLine - b.startLine,
  );
  const taken = new Set<number>();
  const blocks = new Set<number>();
  const isTaken = ({ startLine, line }: Match): boolean => {
    for (let at = startLine; at <= line; ) {
      const isFreeBlock = at % BLOCK === 0 && at + BLOCK <= line && !blocks.has(at / BLOCK);
      if (!isFreeBlock && taken.has(at)) return true;
      at += isFreeBlock ? BLOCK : 1;
    }
    return false;
  };
  const kept = shortestFirst.filter((match) => {
    if (isTaken(match)) return false;
    for (const line of numbersOf(match)) {
      taken.add(line);
      blocks.add(Math.floor(line / BLOCK));
    }
    return true;
  });
  return kept.sort((a, b) => a.startLine - b.startLine);
}

function numbersOf({ startLine, line }: Match): number[] {
  return Array.from({ length: Math.max(0, line - startLine + 1) }, (_, index) => startLine + index);
}

// Suggestions: a match with its text replaced, if the file still parses and its lines are new.

/** A longer match is not replaced by patterns. */
const MAX_TEXT = 2_000;

/** Whole lines; null without a fix, over older lines, or where the text would parse worse. */
function suggestionOf(rule: Rule, match: Match, file: InspectedFile, added: ReadonlySet<number>): Suggestion | null {
  if (rule.fixes === undefined) return match.suggestion ?? null;
  const { startLine, line } = match;
  const texts = lineTexts(file);
  const lines = numbersOf(match).map((at) => (added.has(at) ? texts.get(at) : undefined));
  if (lines.includes(undefined)) return null;
  const whole = lines.join("\n");
  const { from, old } = isNodeMatch(match)
    ? { from: match.node.range().start.column, old: match.node.text() }
    : { from: 0, old: whole };
  if (old.length > MAX_TEXT || !whole.startsWith(old, from)) return null;
  const fixed = fixedText(rule, old);
  if (fixed === null) return null;
  const text = whole.slice(0, from) + fixed + whole.slice(from + old.length);
  return parsesAsWell(file, whole, text) ? { startLine, line, text } : null;
}

function fixedText(rule: Rule, old: string): string | null {
  for (const { from, to } of rule.fixes ?? []) {
    const fixed = old.replace(from, to);
    if (fixed !== old) return fixed;
  }
  return null;
}

/** Compares the whole file with and without the suggestion; of hunks, the lines alone. */
function parsesAsWell(file: InspectedFile, whole: string, text: string): boolean {
  const [language = ""] = languageKeys(file);
  if (grammarOf(language) === null) return true;
  if (file.headText === null) return unreadable(parseText(language, text)) <= unreadable(parseText(language, whole));
  const head = headOf(file.headText);
  const at = head.indexOf(whole);
  if (at === -1) return false;
  const changed = head.slice(0, at) + text + head.slice(at + whole.length);
  return unreadable(parseText(language, changed)) <= unreadInHead(file).count;
}

function headOf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

const unreadInHead = oncePerFile((file) => {
  const [language = ""] = languageKeys(file);
  return { count: unreadable(parseText(language, headOf(file.headText ?? ""))) };
});
