// An answer as a comment: addressed to the one who asked, as inert text, with its sources.

import type { CommandJob } from "../domain/command.ts";
import type { Answer } from "../domain/conversation.ts";
import { answerMarker } from "../domain/review/marker.ts";
import { publicErrorText } from "../domain/text/public-error-text.ts";
import { linkTo } from "./permalink.ts";
import { sanitizeBlock, sanitizeInline } from "./sanitize.ts";

/** Visible code points of an answer. */
const TEXT_LIMIT = 6_000;
const SOURCES = 5;

/**
 * @returns Markdown of at most 60,000 UTF-16 units whose only mention is the one who asked, and whose last line is the hidden
 *   marker that identifies the answer; null when there is nothing to say
 */
export function renderAnswer(answer: Answer, { comment, repo }: Pick<CommandJob, "comment" | "repo">): string | null {
  const { place, id, author } = comment;
  const said = sanitizeBlock(answer.text ?? "", TEXT_LIMIT);
  if (said === "") return null;
  const to = /^[a-z\d](?:[a-z\d-]{0,38})$/i.test(author.login) ? `@${author.login}` : "";
  const isProse = !/^(?:[-*+>#|]|`{3}|~{3}|\d+[.)])/.test(said);
  return [
    isProse && to !== "" ? `${to} ${said}` : [to, said].filter((part) => part !== "").join("\n\n"),
    ...small(answer, repo),
    answerMarker(place, id),
  ].join("\n\n");
}

function small({ sources, degraded, footer }: Answer, repo: CommandJob["repo"]): readonly string[] {
  const links = sources.slice(0, SOURCES).map(({ label, url }) => {
    const text = sanitizeInline(label, 80) || "earlier";
    return linkTo(repo, text, url) ?? text;
  });
  const gaps = degraded.map(({ part, reason }) => sanitizeInline(`${part}: ${publicErrorText(reason)}`, 200));
  const lines = [
    links.length === 0 ? "" : `Said before: ${links.join("; ")}.`,
    gaps.length === 0 ? "" : `Incomplete: ${gaps.join("; ")}.`,
    footer === "" ? "" : sanitizeInline(footer, 200),
  ].filter((line) => line !== "");
  return lines.length === 0 ? [] : [`<sub>${lines.join(" ")}</sub>`];
}
