// `kodiai-ignore RULE reason` in a comment of the reviewed code: the finding is held back with the
// reason, never lost.
import { cutText } from "../text/cut-text.ts";

/** What opens a comment in the languages that we read; a lone `*` continues one. */
const OPENERS = ["//", "#", "--", "/*", "*", "<!--", ";", "%"];
const WORD = "kodiai-ignore";
/** Longer lines are data; a reason longer than this is cut. */
const MAX_LINE = 2_000;
const MAX_REASON = 200;

/**
 * Why a match of a rule, ours or another tool's, is not to be said, by the author's own word: a
 * comment on one of its lines, or a comment of its own on the line above. Several rules may be
 * named with commas: `kodiai-ignore weak-hash, sql-from-strings checked by hand`.
 *
 * @param texts lines of the head file by their number
 * @returns the reason, "no reason given" where there is none, or null when nothing holds the match
 * back
 */
export function ignoreReason(
  rule: string,
  match: { readonly startLine: number; readonly line: number },
  texts: ReadonlyMap<number, string>,
): string | null {
  for (let line = match.startLine; line <= match.line; line += 1) {
    const reason = reasonIn(texts.get(line), rule, false);
    if (reason !== null) return reason;
  }
  return reasonIn(texts.get(match.startLine - 1), rule, true);
}

function reasonIn(text: string | undefined, rule: string, alone: boolean): string | null {
  if (text === undefined || text.length > MAX_LINE) return null;
  const at = text.indexOf(WORD);
  if (at === -1) return null;
  const before = text.slice(0, at);
  const isComment = OPENERS.some((opener) => (alone ? before.trimStart().startsWith(opener) : before.includes(opener)));
  return isComment ? reasonFor(rule, text.slice(at + WORD.length)) : null;
}

/** One id or several. Of another tool it is written with the tool: `eslint/no-eval`. */
const ID = String.raw`[a-z0-9][a-z0-9.+-]*(?:\/[^\s,]*[^\s,:])?`;
const NAMED = new RegExp(String.raw`^:?\s+(${ID}(?:\s?,\s?${ID})*)(.*)$`, "s");

/** `after` is what follows the word: rule ids, separated by commas, then the reason. */
function reasonFor(rule: string, after: string): string | null {
  const named = NAMED.exec(after);
  const ids = named?.[1]?.split(",").map((id) => id.trim()) ?? [];
  if (!ids.includes(rule)) return null;
  const reason = (named?.[2] ?? "")
    .replace(/(\*\/|-->).*$/s, "")
    .replace(/^[\s:—–-]+/, "")
    .trim();
  return reason === "" ? "no reason given" : cutText(reason, MAX_REASON);
}
