// The engine: every rule over every file; what touches added lines becomes a finding, everything else a value with a reason.
// One rule that fails never takes the others with it.

import { setImmediate } from "node:timers/promises";
import type { CustomRule, RuleSetting } from "../../config/repo-config.ts";
import { type Finding, findingId, type HeldBack, type Suggestion } from "../../domain/finding.ts";
import type { Degraded } from "../../domain/omissions.ts";
import type { FileDiff, Hunk } from "../../domain/pull-request.ts";
import type { InspectedFile, Inspection, Inspector } from "../../ports.ts";
import { grammarOf, parseText } from "../grammars.ts";
import { compileCustomRules } from "./custom.ts";
import { ignoreReason } from "./ignore-comment.ts";
import { joinInspections } from "./join-inspections.ts";
import { addedNumbers, type LineText, lineTextOf } from "./known-lines.ts";
import type { Match, Rule } from "./rule.ts";
import { FILE_RULES } from "./rules.ts";
import {
  causesOf,
  findMatches,
  isNodeMatch,
  languageKeys,
  parseFile,
  type Searches,
  searchesOf,
  type Try,
  triesOf,
  unreadable,
} from "./syntax.ts";
import { wordsOfRule } from "./words-of-rule.ts";

/** More matches of one rule in one file say nothing new; the rest is counted as degraded. */
const MAX_MATCHES = 200;
/** Identity needs the words of a match, not all of a long one. */
const MAX_IDENTITY_LINES = 50;

/**
 * The reviewer without a model, within this process: what a file asks of the grammars cannot be interrupted.
 *
 * @param rules the built-in rules; others only in tests
 */
export function rulesInspector(rules: readonly Rule[] = FILE_RULES): Inspector {
  return {
    inspect: async (files, settings, customRules, { onRead } = {}) => {
      const prepared = prepareRules(settings, customRules, rules);
      return joinInspections([prepared.problems, await prepared.inspect(files, false, onRead)]);
    },
  };
}

/** Files of which syntax is read on other threads while the rules search what was read. */
const FILES_AT_ONCE = 4;

/** The rules of one review, ready for its files. */
interface PreparedRules {
  /** What is wrong with the repository's own rules. */
  readonly problems: Inspection;
  /** @param onlyLines without a syntax tree: rules that need one do not run */
  inspect(files: readonly InspectedFile[], onlyLines?: boolean, onRead?: (files: number) => void): Promise<Inspection>;
}

/** @param rules the built-in rules; others only in tests */
export function prepareRules(
  settings: ReadonlyMap<string, RuleSetting>,
  customRules: readonly CustomRule[],
  rules: readonly Rule[] = FILE_RULES,
): PreparedRules {
  const custom = compileCustomRules(customRules, new Set(rules.map((rule) => rule.id)));
  const active = [...rules, ...custom.rules].filter((rule) => settings.get(rule.id) !== "off");
  const ofLines = active.filter((rule) => "check" in rule);
  const structural = active.filter((rule) => "match" in rule);
  const searches = new Map<string, Searches>();
  const searchesFor = (file: InspectedFile): Searches => {
    const languages = languageKeys(file);
    const known = searches.get(languages.join()) ?? searchesOf(structural, languages);
    searches.set(languages.join(), known);
    return known;
  };
  return {
    problems: {
      findings: [],
      heldBack: [],
      degraded: custom.problems.map(({ id, message }) => ({ part: `custom rule ${id}`, reason: message })),
    },
    async inspect(files, onlyLines = false, onRead = () => {}) {
      const inspectOne = (file: InspectedFile) =>
        onlyLines ? inspectFile(file, ofLines, null, settings) : inspectFile(file, active, searchesFor(file), settings);
      const parts: Inspection[] = [];
      for (let at = 0; at < files.length; at += FILES_AT_ONCE) {
        const some = files.slice(at, at + FILES_AT_ONCE);
        parts.push(...(await Promise.all(some.map(inspectOne))));
        onRead(some.length);
        // Webhooks are answered in between: GitHub waits ten seconds and no longer.
        await setImmediate();
      }
      return joinInspections(parts);
    },
  };
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
  /** Of the structural rules, those that may match. */
  readonly tries: ReadonlyMap<Rule, readonly Try[]>;
  readonly lineText: LineText;
}

async function inspectFile(
  file: InspectedFile,
  rules: readonly Rule[],
  searches: Searches | null,
  settings: ReadonlyMap<string, RuleSetting>,
): Promise<Inspection> {
  const added = addedNumbers(file.diff);
  if (file.diff.status === "removed" || file.diff.binary || added.size === 0) return joinInspections([]);
  const degraded: Degraded[] = [];
  const tries = searches === null ? new Map() : await triesIn(file, added, searches, degraded);
  const subject: Subject = { file, added, tries, lineText: lineTextOf(file) };
  const parts: Inspection[] = [];
  for (const rule of rules.filter((candidate) => speaksAbout(candidate, file, tries))) {
    try {
      parts.push(await inspectWith(rule, subject, settings));
    } catch (error) {
      degraded.push({ part: `rule ${rule.id}`, reason: `${file.diff.path}: ${causesOf(error)}` });
    }
  }
  return joinInspections([...parts, { findings: [], heldBack: [], degraded }]);
}

async function triesIn(
  file: InspectedFile,
  added: ReadonlySet<number>,
  searches: Searches,
  degraded: Degraded[],
): Promise<Subject["tries"]> {
  const say = (reason: string): void => {
    degraded.push({ part: "structural-rules", reason: `${file.diff.path}: ${reason}` });
  };
  try {
    const tree = await parseFile(file, added);
    if (tree?.kind !== "tree") {
      if (tree !== null) say(tree.reason);
      return new Map();
    }
    if (tree.skipped !== null) say(tree.skipped);
    if (!tree.whole) degraded.push(ONLY_HUNKS);
    return triesOf(tree, searches);
  } catch (error) {
    say(causesOf(error));
    return new Map();
  }
}

function speaksAbout(rule: Rule, file: InspectedFile, tries: Subject["tries"]): boolean {
  return (rule.inTests || file.facts.kind !== "test") && ("check" in rule || tries.has(rule));
}

async function inspectWith(
  rule: Rule,
  subject: Subject,
  settings: ReadonlyMap<string, RuleSetting>,
): Promise<Inspection> {
  const { file, added, tries } = subject;
  const found = "check" in rule ? [...(await rule.check(file))] : (tries.get(rule) ?? []).flatMap(findMatches);
  const matches = withoutOverlap(found.filter((match) => anchorOf(match, file.diff, added) !== null));
  const heldBack: HeldBack[] = [];
  const findings: Finding[] = [];
  const occurrences = new Map<string, number>();
  for (const match of matches.slice(0, MAX_MATCHES)) {
    const finding = findingOf(rule, match, subject, settings.get(rule.id), occurrences);
    const reason = ignoreReason(rule.id, match, subject.lineText);
    if (reason === null) findings.push(finding);
    else heldBack.push({ finding, reason: `kodiai-ignore: ${reason}` });
  }
  const over = matches.length - MAX_MATCHES;
  const reason = `${file.diff.path}: ${over} more matches than the ${MAX_MATCHES} that are shown`;
  return { findings, heldBack, degraded: over > 0 ? [{ part: `rule ${rule.id}`, reason }] : [] };
}

function findingOf(
  rule: Rule,
  match: Match,
  { file, added, lineText }: Subject,
  setting: RuleSetting | undefined,
  occurrences: Map<string, number>,
): Finding {
  const { path } = file.diff;
  const anchor = anchorOf(match, file.diff, added) ?? match;
  const words = wordsOf(match, lineText);
  const key = words.map((line) => line.replace(/\s+/g, " ").trim()).join("\n");
  const occurrence = occurrences.get(key) ?? 0;
  occurrences.set(key, occurrence + 1);
  const suggestion = suggestionOf(rule, match, file, added, lineText);
  const fits = suggestion?.startLine === anchor.startLine && suggestion.line === anchor.line;
  return {
    id: findingId(rule.id, pathOfIdentity(file.diff), words, occurrence),
    path,
    side: "RIGHT",
    startLine: anchor.startLine,
    line: anchor.line,
    ...wordsOfRule(rule, setting, match.detail),
    suggestion: fits ? suggestion : null,
  };
}

/** A finding outlives the renaming of its file: the name in the base is the one that stays. */
function pathOfIdentity({ status, path, previousPath }: InspectedFile["diff"]): string {
  return status === "renamed" && previousPath !== null ? previousPath : path;
}

function wordsOf(match: Match, lineText: LineText): string[] {
  const last = Math.min(match.line, match.startLine + MAX_IDENTITY_LINES - 1);
  const lines: string[] = [];
  for (let line = match.startLine; line <= last; line += 1) lines.push(lineText(line) ?? "");
  return lines;
}

// Where a match may be spoken about: it must touch an added line, and GitHub takes a comment only inside one hunk.

/**
 * The part of a match that lies in the hunk of its first added line.
 *
 * @returns head lines inside one hunk, or null when the match touches no added line
 */
function anchorOf(match: Match, diff: FileDiff, added: ReadonlySet<number>): Match | null {
  const hunk = diff.hunks.find((candidate) => {
    const { startLine, line } = within(match, candidate);
    for (let number = startLine; number <= line; number += 1) if (added.has(number)) return true;
    return false;
  });
  return hunk === undefined ? null : within(match, hunk);
}

function within(match: Match, hunk: Hunk): Match {
  const startLine = Math.max(match.startLine, hunk.newStart);
  const line = Math.min(match.line, hunk.newStart + hunk.newLines - 1);
  return { ...match, startLine, line };
}

/**
 * Of overlapping matches of one rule the shortest stays (the earlier of two equals): a comment should point, not span.
 *
 * @returns matches without overlap, by line
 */
function withoutOverlap(matches: readonly Match[]): Match[] {
  const shortestFirst = [...matches].sort(
    (a, b) => a.line - a.startLine - (b.line - b.startLine) || a.startLine - b.startLine,
  );
  const taken = new Set<number>();
  const kept = shortestFirst.filter((match) => {
    const lines = range(match);
    if (lines.some((line) => taken.has(line))) return false;
    for (const line of lines) taken.add(line);
    return true;
  });
  return kept.sort((a, b) => a.startLine - b.startLine);
}

function range(match: Match): number[] {
  return Array.from({ length: Math.max(0, match.line - match.startLine + 1) }, (_, index) => match.startLine + index);
}

// One-click suggestions: a match with its text replaced, where the file still parses and every line of it was added.

/** A longer match is not replaced by patterns. */
const MAX_TEXT = 2_000;

/**
 * What a rule's fixes make of the lines of a match.
 *
 * @param added head lines that the change adds
 * @returns whole lines, or null when no fix applies, a line was there before, or the text would parse worse
 */
function suggestionOf(
  rule: Rule,
  match: Match,
  file: InspectedFile,
  added: ReadonlySet<number>,
  lineText: LineText,
): Suggestion | null {
  if (rule.fixes === undefined) return match.suggestion ?? null;
  const { startLine, line } = match;
  const lines: string[] = [];
  for (let at = startLine; at <= line; at += 1) {
    const text = lineText(at);
    if (text === undefined || !added.has(at)) return null;
    lines.push(text);
  }
  const whole = lines.join("\n");
  const { from, old } = isNodeMatch(match)
    ? { from: match.node.range().start.column, old: match.node.text() }
    : { from: 0, old: whole };
  if (old.length > MAX_TEXT || !whole.startsWith(old, from)) return null;
  const fixed = fixedText(rule, old, file);
  if (fixed === null) return null;
  const text = whole.slice(0, from) + fixed + whole.slice(from + old.length);
  return parsesAsWell(file, whole, text) ? { startLine, line, text } : null;
}

function fixedText(rule: Rule, old: string, { facts, headText }: InspectedFile): string | null {
  for (const { from, to, languages, onlyIn } of rule.fixes ?? []) {
    if (languages?.includes(facts.language) === false || onlyIn?.test(headText ?? "") === false) continue;
    const fixed = old.replace(from, to);
    if (fixed !== old) return fixed;
  }
  return null;
}

/** Compares the whole file with and without the suggestion; of a file known by hunks, the lines alone. */
function parsesAsWell(file: InspectedFile, whole: string, text: string): boolean {
  const [language = ""] = languageKeys(file);
  if (grammarOf(language) === null) return true;
  const head = file.headText?.replaceAll("\r\n", "\n") ?? whole;
  const at = head.indexOf(whole);
  if (at === -1) return false;
  const changed = head.slice(0, at) + text + head.slice(at + whole.length);
  return unreadable(parseText(language, changed)) <= unreadable(parseText(language, head));
}
