// One-click suggestions: a match with its text replaced, where the file still parses and every line of it was added.
import type { Suggestion } from "../../domain/finding.ts";
import type { InspectedFile } from "../../ports.ts";
import { grammarOf, parseText } from "../grammars.ts";
import type { LineText } from "./known-lines.ts";
import type { Match, Rule } from "./rule.ts";
import { isNodeMatch, languageKeys, unreadable } from "./syntax.ts";

/** A longer match is not replaced by patterns. */
const MAX_TEXT = 2_000;

/**
 * What a rule's fixes make of the lines of a match.
 *
 * @param added head lines that the change adds
 * @returns whole lines, or null when no fix applies, a line was there before, or the text would parse worse
 */
export function suggestionOf(
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
