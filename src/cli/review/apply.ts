// kodiai review --apply: writes suggestions where the working tree has the reviewed lines.

import { lstatSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Suggestion } from "../../domain/finding.ts";
import type { PullRequestContext } from "../../domain/pull-request.ts";
import type { Review } from "../../domain/review.ts";
import { counted } from "../../domain/text/counted.ts";
import { writeForeignFile } from "../../environment/write-file.ts";
import { topOf } from "../../wire/cli/change.ts";
import { askerFor, Cancelled } from "../asker.ts";
import { headLines, terminalText } from "../terminal-text.ts";

/**
 * Asks, then writes. Names on standard error the files that it wrote, and each suggestion that it
 * did not write, with the reason. @param isSure does not ask
 */
export async function applySuggestions(
  review: Review,
  context: PullRequestContext,
  repo: string,
  isSure: boolean,
): Promise<void> {
  const offers = review.findings.flatMap(({ finding: { path, suggestion } }) =>
    suggestion === null ? [] : [{ path, suggestion }],
  );
  if (offers.length === 0) return say("there is no suggestion to apply");
  const top = await topOf(resolve(repo));
  const files = [...Map.groupBy(offers, ({ path }) => path)].map(([path, all]) => ({
    path,
    ...changed(
      join(top, path),
      headLines(context, path),
      all.map(({ suggestion }) => suggestion),
    ),
  }));
  for (const { path, refused } of files) for (const reason of refused) say(`not applied: ${path}${reason}`);
  const ready = files.filter(({ applied }) => applied > 0);
  const total = ready.reduce((sum, { applied }) => sum + applied, 0);
  if (
    total === 0 ||
    !(await isWanted(`Apply ${counted(total, "suggestion")} to ${counted(ready.length, "file")}?`, isSure))
  )
    return;
  for (const { path, text, mode, applied } of ready) {
    try {
      await writeForeignFile(join(top, path), [text], { mode, replaces: true, below: top });
      say(`applied ${counted(applied, "suggestion")} to ${path}`);
    } catch (error) {
      say(`not applied: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

async function isWanted(question: string, isSure: boolean): Promise<boolean> {
  try {
    return await askerFor(isSure).confirm(question, isSure);
  } catch (error) {
    if (error instanceof Cancelled) return false;
    throw error;
  }
}

function say(text: string): void {
  console.error(`kodiai review: ${terminalText(text.replaceAll("\n", "<U+000A>"))}`);
}

/** The file with its suggestions; `refused` has the place and reason of each that does not fit. */
function changed(file: string, reviewed: ReadonlyMap<number, string>, suggestions: readonly Suggestion[]) {
  const there = lstatSync(file, { throwIfNoEntry: false });
  const bytes = there?.isFile() === true ? readFileSync(file) : Buffer.alloc(0);
  const lines = bytes.toString().split("\n");
  const refused: string[] = [];
  let applied = 0;
  let below = Number.POSITIVE_INFINITY;
  // From the end, so that no suggestion moves the lines of the next.
  for (const { startLine, line, text } of suggestions.toSorted(
    (a, b) => b.startLine - a.startLine || b.line - a.line,
  )) {
    const old = lines.slice(startLine - 1, line);
    const isSame =
      old.length === line - startLine + 1 &&
      old.every((code, at) => unended(code) === unended(reviewed.get(startLine + at)));
    if (line >= below) refused.push(`:${startLine}: it overlaps another suggestion`);
    else if (!isSame) refused.push(`:${startLine}: the working tree has other lines there than those reviewed`);
    else {
      const own = text === "" ? [] : text.split("\n");
      lines.splice(startLine - 1, old.length, ...(old[0]?.endsWith("\r") ? own.map((code) => `${code}\r`) : own));
      below = startLine;
      applied += 1;
    }
  }
  // A file in another encoding would not survive.
  if (applied > 0 && !Buffer.from(bytes.toString()).equals(bytes))
    return { text: "", mode: 0, applied: 0, refused: [...refused, ": it is not UTF-8"] };
  return { text: lines.join("\n"), mode: (there?.mode ?? 0) & 0o777, applied, refused };
}

/** Git may write CR LF into the working tree where the commit has LF (`core.autocrlf`). */
function unended(line: string | undefined): string | undefined {
  return line?.replace(/\r$/, "");
}
