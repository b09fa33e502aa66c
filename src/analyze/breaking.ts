// Where a pull request announces a breaking change: parsed title, body and commits come in, the places come out.
import type { BreakingSource } from "../domain/signals.ts";
import { breakingBody } from "./breaking-body.ts";
import { announcement, excerpt, FOOTER, saysNo } from "./breaking-phrase.ts";
import type { ProseLine } from "./intent-prose.ts";
import { type ParsedTitle, parseTitle } from "./title.ts";

/** Each further place adds nothing to the decision; a changelog pasted as a body has hundreds. */
const MAX_SOURCES = 20;
const BREAKING_TAG = /^(?:breaking|breaking[ -]changes?|bc[ -]breaks?)$/;

/**
 * The places that announce a breaking change: `!`, `BREAKING CHANGE:` and tags in the title; prose, headings, checkboxes and
 * answers in the body; `!` and footers in commits. Negated words ("non-breaking", "no breaking changes"), unticked boxes,
 * template comments, code and quotations announce nothing. At most 20 places, title first.
 */
export function breakingSources(input: {
  readonly title: ParsedTitle;
  readonly body: readonly ProseLine[];
  readonly commits: readonly (readonly ProseLine[])[];
}): readonly BreakingSource[] {
  const found = new Map<string, BreakingSource>();
  const keep = (source: BreakingSource) => {
    if (found.size < MAX_SOURCES) found.set(`${source.where} ${source.text}`, source);
  };
  if (titleAnnounces(input.title)) keep({ where: "title", text: titleText(input.title) });
  for (const text of breakingBody(input.body)) keep({ where: "body", text });
  for (const commit of input.commits) {
    for (const text of commitTexts(commit)) keep({ where: "commit", text });
  }
  return [...found.values()];
}

function titleAnnounces(title: ParsedTitle): boolean {
  if (title.breaking || title.otherTags.some((tag) => BREAKING_TAG.test(tag))) return true;
  const footer = FOOTER.exec(title.untagged);
  return footer !== null && !saysNo(title.untagged.slice(footer[0].length));
}

function titleText(title: ParsedTitle): string {
  const tag = title.otherTags.find((one) => BREAKING_TAG.test(one));
  return excerpt(`${tag === undefined ? "" : `[${tag}] `}${title.untagged}`, 0);
}

/** A commit announces by its header and by its footers; its prose often speaks about other changes. */
function commitTexts([header, ...lines]: readonly ProseLine[]): readonly string[] {
  const title = parseTitle(header?.raw ?? "");
  const texts = titleAnnounces(title) ? [titleText(title)] : [];
  for (const { masked, raw } of lines) {
    const footer = masked === "" ? null : FOOTER.exec(masked);
    if (footer !== null && announcement(masked) !== null) texts.push(excerpt(raw, footer.index));
  }
  return texts;
}
