// The lines of changed files that code frames show: from the head text, or from the hunks if only those are known.
import type { PullRequestContext } from "../domain/pull-request.ts";
import { withoutSecrets } from "../wire/secrets.ts";

/** Head line (1-based) → its text. */
export type NumberedLines = ReadonlyMap<number, string>;

/**
 * @param paths the files that findings are about
 * @returns path → lines, without secrets
 */
export async function shownLines(
  context: PullRequestContext,
  paths: ReadonlySet<string>,
): Promise<ReadonlyMap<string, NumberedLines>> {
  const shown = new Map<string, NumberedLines>();
  for (const path of paths) {
    const { numbers, texts } = linesOf(context, path);
    // As one text, because the first line of a multi-line key identifies it.
    const clean = (await withoutSecrets(texts.join("\n"))).split("\n");
    shown.set(path, new Map(numbers.map((number, index) => [number, (clean[index] ?? "").replace(/\r$/, "")])));
  }
  return shown;
}

function linesOf({ headTexts, files }: PullRequestContext, path: string): { numbers: number[]; texts: string[] } {
  const head = headTexts.get(path)?.split("\n");
  if (head !== undefined) return { numbers: head.map((_, index) => index + 1), texts: head };
  const hunks = files.find((file) => file.path === path)?.hunks ?? [];
  const known = hunks.flatMap(({ lines }) => lines.filter(({ newLine }) => newLine !== null));
  return { numbers: known.map(({ newLine }) => newLine ?? 0), texts: known.map(({ text }) => text) };
}
