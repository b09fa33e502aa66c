// Formats the code around a change for a model: excerpts by file, then the other uses of changed names.
import type { CallSites, ChangeContext, Excerpt } from "../../domain/change-context.ts";
import { revealLine } from "../../domain/text/untrusted-text.ts";

/** "" when there is nothing to show. */
export function drawnContext({ excerpts, callSites }: Pick<ChangeContext, "excerpts" | "callSites">): string {
  return [...excerpts.map(drawnExcerpt), ...callSites.map(drawnCalls)].join("\n\n");
}

const MOST_REASONS = 6;

function drawnExcerpt({ path, why, lines }: Excerpt): string {
  const drawn: string[] = [];
  let next = -1;
  for (const { line, text } of lines) {
    if (line !== next) drawn.push(`(line ${line})`);
    drawn.push(revealLine(text));
    next = line + 1;
  }
  const more = why.length > MOST_REASONS ? `, and ${why.length - MOST_REASONS} more` : "";
  return `### ${revealLine(path)}: ${why.slice(0, MOST_REASONS).map(revealLine).join(", ")}${more}\n${drawn.join("\n")}`;
}

function drawnCalls({ name, kind, sites, more }: CallSites): string {
  const lines = sites.map(({ path, line, text }) => `${revealLine(path)}:${line}: ${revealLine(text)}`);
  const rest = more > 0 ? [`(and ${more} more)`] : [];
  const what = kind === "test" ? "tests that name" : "other places that use";
  return [`### ${what} ${revealLine(name)}`, ...lines, ...rest].join("\n");
}
