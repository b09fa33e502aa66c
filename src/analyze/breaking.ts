// Finds the places in parsed title, body and commits that announce a breaking change.

import type { BreakingSource } from "../domain/signals.ts";
import { cutText } from "../domain/text/cut-text.ts";
import type { ProseLine, ProseTexts } from "./intent-prose.ts";
import { type ParsedTitle, parseTitle } from "./title.ts";

/** Further places add nothing to the decision; a changelog pasted as a body has hundreds. */
const MAX_SOURCES = 20;
const BREAKING_TAG = /^(?:breaking|breaking[ -]changes?|bc[ -]breaks?)$/;
/** Longest text of a source, in UTF-16 units. */
const MAX_TEXT = 120;

/** `BREAKING CHANGE:`, `BREAKING-CHANGE:`, `**BREAKING CHANGES**:`, `BREAKING (internals):` at the start of a line. */
const FOOTER =
  /^\s{0,3}(?:[-*+] )?(?:\p{Extended_Pictographic}\u{FE0F}? ?)?(?:\*\*|__)?(?:(?:[Bb]reaking|BREAKING)[ -](?:[Cc]hange|CHANGE)[Ss]?|BREAKING)(?:\*\*|__)?(?: ?\([^()]{1,60}\))?(?:\*\*|__)?[:：](?:\*\*|__)?/u;

/** What the words are answered with where nothing breaks: `none`, `**: N/A`, `| no |`. */
const NO = /^[\s*_|\-–—>)]{0,12}(?:no|none|nope|n\/a|na|nil|false|nothing|not applicable|❌|✖|🚫)(?![\p{L}\p{N}])/iu;

/**
 * The places that announce a breaking change as the convention has it: `!`, `BREAKING CHANGE:` and tags in titles, also those of
 * commits; `BREAKING CHANGE:` at the start of a line of body and commits, unless "none" follows. Other prose about breaking
 * changes announces none: most of it is a template's, negated, or about other changes. Template comments, code and quotations
 * do not count. At most 20 places, title first.
 */
export function breakingSources({ title, body, commits }: ProseTexts<ParsedTitle>): readonly BreakingSource[] {
  const found = new Map<string, BreakingSource>();
  const keep = (where: BreakingSource["where"], texts: readonly string[]) => {
    for (const text of texts) if (found.size < MAX_SOURCES) found.set(`${where} ${text}`, { where, text });
  };
  keep("title", titleTexts(title));
  keep("body", footers(body));
  for (const [header, ...lines] of commits)
    keep("commit", [...titleTexts(parseTitle(header?.raw ?? "")), ...footers(lines)]);
  return [...found.values()];
}

function titleTexts({ breaking, otherTags, untagged }: ParsedTitle): readonly string[] {
  const tag = otherTags.find((one) => BREAKING_TAG.test(one));
  const announces = breaking || tag !== undefined || isFooter(untagged);
  return announces ? [excerpt(`${tag === undefined ? "" : `[${tag}] `}${untagged}`)] : [];
}

function footers(lines: readonly ProseLine[]): readonly string[] {
  return lines.flatMap(({ masked, raw }) => (isFooter(masked) ? [excerpt(raw)] : []));
}

function isFooter(text: string): boolean {
  const words = FOOTER.exec(text)?.[0];
  return words !== undefined && !NO.test(text.slice(words.length));
}

/** White space folded, whole characters only. */
function excerpt(text: string): string {
  return cutText(text.replace(/\s+/g, " ").trim(), MAX_TEXT);
}
