// One finding as a comment on its lines or its file: what, why, how to mend it, how to silence it.
import { ADVISORY_RULE } from "../domain/dependency-update.ts";
import type { Finding } from "../domain/finding.ts";
import type { Repo } from "../domain/job.ts";
import { findingMarker } from "../domain/review/marker.ts";
import { quietCode, writeFence } from "./blocks.ts";
import { advisoryLink, GHSA, safeUrl } from "./permalink.ts";
import { codeSpan, sanitizeBlock, sanitizeInline } from "./sanitize.ts";
import { visible } from "./visible.ts";

/** Code points of a title and UTF-16 units of a suggestion that a comment holds. */
const TITLE_LIMIT = 200;
const SUGGESTION_LIMIT = 8000;

/**
 * The body of a comment.
 *
 * @param repo on whose host links may lead
 * @param place `inline` offers the suggestion for committing; on a file as a whole there are no lines to replace
 * @returns Markdown of at most 60,000 UTF-16 units whose last line is the finding's hidden marker
 */
export function renderComment(repo: Pick<Repo, "host">, finding: Finding, place: "inline" | "file"): string {
  const where = place === "file" && finding.locMethod !== "none" ? `About ${lines(finding)} of this file.` : "";
  const suggestion = place === "inline" ? renderSuggestion(finding) : "";
  return [
    findingTitle(finding),
    sanitizeBlock(finding.body),
    where,
    suggestion,
    saidBefore(repo, finding),
    silence(finding),
    findingMarker(finding.id),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The finding in one line: severity as a badge, then what is wrong. */
export function findingTitle(finding: Finding): string {
  return `\`${finding.severity}\` **${sanitizeInline(finding.title, TITLE_LIMIT) || "(no title)"}**`;
}

/** `line 12`, `lines 12–14`, `removed line 3`. */
export function lines(finding: Finding): string {
  const removed = finding.side === "LEFT" ? "removed " : "";
  return finding.startLine === finding.line
    ? `${removed}line ${finding.line}`
    : `${removed}lines ${finding.startLine}–${finding.line}`;
}

/** What reviewers said about the same thing before, with outcome and date, at most three. */
function saidBefore(repo: Pick<Repo, "host">, { precedents }: Finding): string {
  if (precedents.length === 0) return "";
  const said = precedents.slice(0, 3).map(({ url, outcome, date, decided, reason }) => {
    const told =
      decided === undefined ? [date, outcome].filter((part) => part !== "").join(", ") : `${outcome} ${decided}`;
    const text = sanitizeInline(told, decided === undefined ? 60 : 240) || "earlier";
    const address = url === null ? null : safeUrl(repo, url);
    const why = reason === undefined || decided !== undefined ? "" : ` (${sanitizeInline(reason, 200)})`;
    return `${address === null ? text : `[${text}](${address})`}${why}`;
  });
  return `<sub>Said before: ${said.join("; ")}.</sub>`;
}

/** One small line: who says so, and how to make it stop. */
export function silence(finding: Finding): string {
  if (finding.source === "memory")
    return `<sub>Known from memory. To decline it, reply ${codeSpan("/kodiai ignore")} and the reason.</sub>`;
  if (finding.rule === null)
    return `<sub>Found by a model. To decline it, reply ${codeSpan("/kodiai ignore")} and the reason.</sub>`;
  const rule = codeSpan(finding.rule, 100);
  if (finding.rule === ADVISORY_RULE) return `<sub>${advisoryLinks(finding)}${onlySetting(rule)}</sub>`;
  const comment = codeSpan(`kodiai-ignore ${finding.rule} reason`, 160);
  const setting = codeSpan(`rules: {${finding.rule}: off}`, 160);
  return `<sub>Rule ${rule}. To silence it: ${comment} in a comment in the code, or ${setting} in \`.kodiai.yml\`.</sub>`;
}

/** Manifests have no comments in which a rule could be silenced. */
function onlySetting(rule: string): string {
  return `Rule ${rule}. To silence it: ${codeSpan(`rules: {${ADVISORY_RULE}: off}`)} in \`.kodiai.yml\`.`;
}

/** The advisories that its text names, each by its page. */
function advisoryLinks({ body }: Finding): string {
  const links = [...new Set(body.match(GHSA) ?? [])].slice(0, 5).map(advisoryLink);
  return links.length === 0 ? "" : `${links.join(", ")}. `;
}

/**
 * The committable block, or plain code where GitHub would commit something other than what was meant: text with hidden
 * characters, or with a line that another bot obeys, must be changed before it is posted.
 */
function renderSuggestion(finding: Finding): string {
  if (finding.suggestion === null) return "";
  const meant = finding.suggestion.text;
  const shown = visible(meant).split("\n").map(quietCode);
  const text = shown.join("\n");
  if (text.length > SUGGESTION_LIMIT) return "";
  if (text !== meant) return `Put this in place of ${lines(finding)}:\n\n${writeFence("", shown)}`;
  // No line at all deletes the lines; one empty line would leave an empty line behind.
  return writeFence("suggestion", meant === "" ? [] : shown);
}
