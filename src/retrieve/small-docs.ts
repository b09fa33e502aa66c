// A few lines of prose: documentation that changed without a command or an example in it.
import type { DiffLine, FileDiff, Hunk } from "../domain/pull-request.ts";
import type { FileFacts } from "../domain/signals.ts";

/** More changed lines than this are a text worth comparing with what was said about texts. */
export const SMALL_DOCS_LINES = 20;

const PROSE =
  /\.(?:md|markdown|rst|txt|adoc|asciidoc)$|(?:^|\/)(?:LICEN[CS]E|COPYING|NOTICE|AUTHORS|CONTRIBUTORS)(?:[.-][\w.-]{1,40})?$/i;

const FENCE = /^\s{0,20}(?:`{3,}|~{3,}|-{4,}\s*$|\.\. code|\[source)/;

/** What one types: a prompt, or the name of a common tool with words after it. */
const COMMAND =
  /^\s{0,20}(?:[$>%]\s|(?:[-*]\s+)?`?(?:npm|npx|yarn|pnpm|bun|deno|pip3?|pipx|uv|poetry|conda|cargo|rustup|go|git|gh|docker|docker-compose|podman|kubectl|helm|terraform|make|cmake|brew|apt|apt-get|yum|dnf|curl|wget|ssh|scp|sudo|bash|sh|python3?|node|java|mvn|gradle|gem|bundle|composer|export|cd|chmod|systemctl)\s+[\w./@-])/i;

/** True when every file is documentation by kind and by extension. */
export function isDocsOnly(files: readonly FileDiff[], facts: readonly FileFacts[]): boolean {
  const kinds = new Map(facts.map(({ path, kind }) => [path, kind]));
  return files.length > 0 && files.every(({ path }) => kinds.get(path) === "docs" && PROSE.test(path));
}

/**
 * True when at most 20 lines changed, all delivered, and none of them is code: inside or at a fence, indented like a
 * block, or a command.
 *
 * @param headTexts where the head file is known, its fences are; else a hunk that shows a fence counts as code
 */
export function isSmallProse(files: readonly FileDiff[], headTexts: ReadonlyMap<string, string>): boolean {
  const changed = files.reduce((sum, { additions, deletions }) => sum + additions + deletions, 0);
  return (
    changed <= SMALL_DOCS_LINES &&
    files.every((file) => file.complete && !file.hunks.some((hunk) => touchesCode(hunk, headTexts.get(file.path))))
  );
}

function touchesCode(hunk: Hunk, head: string | undefined): boolean {
  const changed = hunk.lines.filter(({ kind }) => kind !== "context");
  if (changed.some(isCodeLine)) return true;
  if (head === undefined) return hunk.lines.some(({ text }) => FENCE.test(text));
  const last = hunk.newStart + hunk.newLines;
  const fenced = fencedLines(head, last);
  return hunk.lines.some(({ newLine, kind }, at) => {
    // A removed line lay where its neighbours in the head lie.
    const beside = newLine ?? nextLine(hunk.lines, at);
    return kind !== "context" && beside !== null && fenced.has(beside);
  });
}

function isCodeLine({ text }: DiffLine): boolean {
  return FENCE.test(text) || COMMAND.test(text) || /^(?: {4}|\t)\s*[^\s*+\-\d>]/.test(text);
}

function nextLine(lines: readonly DiffLine[], from: number): number | null {
  return lines.slice(from).find(({ newLine }) => newLine !== null)?.newLine ?? null;
}

/** Numbers of the lines inside fences, their fences included, up to a line. */
function fencedLines(head: string, last: number): ReadonlySet<number> {
  const fenced = new Set<number>();
  let open = false;
  for (const [index, line] of head.split("\n", last).entries()) {
    const fence = FENCE.test(line);
    if (open || fence) fenced.add(index + 1);
    if (fence) open = !open;
  }
  return fenced;
}
