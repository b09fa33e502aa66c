// The engine: every rule over every file; what touches added lines becomes a finding, everything else a value with a reason.
// One rule that fails never takes the others with it.
import { setImmediate } from "node:timers/promises";
import type { CustomRule, RuleSetting } from "../../config/repo-config.ts";
import { type Finding, findingId, type HeldBack } from "../../domain/finding.ts";
import type { Degraded } from "../../domain/omissions.ts";
import type { InspectedFile, Inspection, Inspector } from "../../ports.ts";
import { compileCustomRules } from "./custom.ts";
import { ignoreReason } from "./ignore-comment.ts";
import { joinInspections } from "./join-inspections.ts";
import { addedNumbers, type LineText, lineTextOf } from "./known-lines.ts";
import { anchorOf, withoutOverlap } from "./place.ts";
import type { Match, Rule } from "./rule.ts";
import { allRules } from "./rules.ts";
import { suggestionOf } from "./suggest.ts";
import {
  causesOf,
  findMatches,
  languageKeys,
  parseFile,
  type Searches,
  searchesOf,
  type Try,
  triesOf,
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
export function rulesInspector(rules: readonly Rule[] = allRules()): Inspector {
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
export interface PreparedRules {
  /** What is wrong with the repository's own rules. */
  readonly problems: Inspection;
  /** @param onlyLines without a syntax tree: rules that need one do not run */
  inspect(files: readonly InspectedFile[], onlyLines?: boolean, onRead?: (files: number) => void): Promise<Inspection>;
}

/** @param rules the built-in rules; others only in tests */
export function prepareRules(
  settings: ReadonlyMap<string, RuleSetting>,
  customRules: readonly CustomRule[],
  rules: readonly Rule[] = allRules(),
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
