// What rules found: in the words of the rule, held back where the code says so, and joined in one order.

import type { RuleSetting } from "../../config/repo-config.ts";
import type { Finding } from "../../domain/finding.ts";
import type { Degraded } from "../../domain/omissions.ts";
import { compareTexts } from "../../domain/text/compare-texts.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import type { Inspection } from "../../ports.ts";
import type { Match, RuleText } from "./rule.ts";

/** Findings of each file by line, then by rule, so that the same input always reads the same. */
export function joinInspections(parts: readonly Inspection[]): Inspection {
  const paths = new Map<string, number>();
  for (const { path } of parts.flatMap((part) => part.findings)) if (!paths.has(path)) paths.set(path, paths.size);
  const order = (a: Finding, b: Finding): number =>
    (paths.get(a.path) ?? 0) - (paths.get(b.path) ?? 0) ||
    a.startLine - b.startLine ||
    a.line - b.line ||
    compareTexts(a.rule ?? "", b.rule ?? "");
  return {
    findings: parts.flatMap((part) => part.findings).sort(order),
    heldBack: parts.flatMap((part) => part.heldBack),
    degraded: [...new Map(parts.flatMap((part) => part.degraded).map((said) => [JSON.stringify(said), said])).values()],
  };
}

/** Nothing was found, for these reasons. */
export function onlyDegraded(...degraded: readonly Degraded[]): Inspection {
  return { findings: [], heldBack: [], degraded };
}

/** @param found findings of one rule, each with the reason why its code holds it back, or null */
export function inspectionOf(
  found: readonly { readonly finding: Finding; readonly ignored: string | null }[],
): Inspection {
  return {
    findings: found.flatMap(({ finding, ignored }) => (ignored === null ? [finding] : [])),
    heldBack: found.flatMap(({ finding, ignored }) =>
      ignored === null ? [] : [{ finding, reason: `kodiai-ignore: ${ignored}` }],
    ),
    degraded: [],
  };
}

/** What a finding says of its rule, with a further sentence. */
export function wordsOfRule(
  rule: RuleText,
  setting: RuleSetting | undefined,
  detail: string | undefined,
  where = "",
): Omit<Finding, "id" | "path" | "side" | "startLine" | "line" | "suggestion"> {
  return {
    severity: setting === undefined || setting === "off" ? rule.severity : setting,
    category: rule.category,
    rule: rule.id,
    title: detail === undefined ? rule.title : `${rule.title}: ${detail}`,
    body: [rule.why, where, rule.fix].filter((text) => text !== "").join("\n\n"),
    source: "rule",
    confidence: rule.confidence,
    precedents: [],
  };
}

// `kodiai-ignore RULE reason` in a comment of the reviewed code: the finding is held back with the reason, never lost.

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
 * @param texts lines of the head file by their number
 * @returns the reason, "no reason given" where there is none, or null when nothing holds the match back
 */
export function ignoreReason(
  rule: string,
  match: Pick<Match, "startLine" | "line">,
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
