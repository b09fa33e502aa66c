// `kodiai-ignore RULE reason` in a comment of the reviewed code: the finding is held back with the reason, never lost.
import { cutText } from "../../domain/text/cut-text.ts";
import type { LineText } from "./known-lines.ts";
import type { Match } from "./rule.ts";

/** What opens a comment in the languages that we read; a lone `*` continues one. */
const OPENERS = ["//", "#", "--", "/*", "*", "<!--", ";", "%"];
const WORD = "kodiai-ignore";
/** Longer lines are data; a reason longer than this is cut. */
const MAX_LINE = 2_000;
const MAX_REASON = 200;

/**
 * Why a match of a rule is not to be said, by the author's own word: a comment on one of its lines, or a comment of its own
 * on the line above. Several rules may be named with commas: `kodiai-ignore weak-hash, sql-from-strings checked by hand`.
 *
 * @returns the reason, "no reason given" where there is none, or null when nothing holds the match back
 */
export function ignoreReason(rule: string, match: Match, lineText: LineText): string | null {
  for (let line = match.startLine; line <= match.line; line += 1) {
    const reason = reasonIn(lineText(line), rule, false);
    if (reason !== null) return reason;
  }
  return reasonIn(lineText(match.startLine - 1), rule, true);
}

function reasonIn(text: string | undefined, rule: string, alone: boolean): string | null {
  if (text === undefined || text.length > MAX_LINE) return null;
  const at = text.indexOf(WORD);
  if (at === -1) return null;
  const before = text.slice(0, at);
  const isComment = alone
    ? OPENERS.some((opener) => before.trimStart().startsWith(opener))
    : OPENERS.some((opener) => before.includes(opener));
  return isComment ? reasonFor(rule, text.slice(at + WORD.length)) : null;
}

/** `after` is what follows the word: rule ids, separated by commas, then the reason. */
function reasonFor(rule: string, after: string): string | null {
  const named = /^:?\s+([a-z0-9-]+(?:\s?,\s?[a-z0-9-]+)*)(.*)$/s.exec(after);
  const ids = named?.[1]?.split(",").map((id) => id.trim()) ?? [];
  if (!ids.includes(rule)) return null;
  const reason = (named?.[2] ?? "")
    .replace(/(\*\/|-->).*$/s, "")
    .replace(/^[\s:—–-]+/, "")
    .trim();
  return reason === "" ? "no reason given" : cutText(reason, MAX_REASON);
}
