import type { PullRequestContext } from "../domain/pull-request.ts";
import { cutText } from "../domain/text/cut-text.ts";
import { withoutSecrets } from "../wire/secrets.ts";

/**
 * Text by others for a terminal: characters that would control it, reorder a line or hide text are
 * shown as `<U+001B>`. The joiner of emoji stays.
 */
export function terminalText(text: string): string {
  return text.replace(/[[\p{Cc}\p{Cf}]--[\t\n\u200D]]/gv, (character) => {
    const digits = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
    return `<U+${digits.padStart(4, "0")}>`;
  });
}

/**
 * A value as JSON in which all those characters are escaped; JSON itself requires that only of the
 * first 32.
 */
export function terminalJson(value: unknown, indent = 2): string {
  return escapedJson(JSON.stringify(value, null, indent));
}

/** As `terminalJson`, of a text that is JSON, or lines of it. */
export function escapedJson(json: string): string {
  return json.replace(/[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--\n]/gv, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** The first `most` UTF-16 units, with `…` where something was cut. */
export function clipped(text: string, most: number): string {
  return text.length > most ? `${cutText(text, most)}…` : text;
}

/** Head line (1-based) → its text. */
export type NumberedLines = ReadonlyMap<number, string>;

/** Path → lines without secrets, for code frames: of the head text, or of the hunks alone. */
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

/** Head lines as they were reviewed, secrets included: for comparing, not for showing. */
export function headLines(context: PullRequestContext, path: string): NumberedLines {
  const { numbers, texts } = linesOf(context, path);
  return new Map(numbers.map((number, index) => [number, texts[index] ?? ""]));
}

function linesOf({ headTexts, files }: PullRequestContext, path: string): { numbers: number[]; texts: string[] } {
  const head = headTexts.get(path)?.split("\n");
  if (head !== undefined) return { numbers: head.map((_, index) => index + 1), texts: head };
  const hunks = files.find((file) => file.path === path)?.hunks ?? [];
  const known = hunks.flatMap(({ lines }) => lines.filter(({ newLine }) => newLine !== null));
  return { numbers: known.map(({ newLine }) => newLine ?? 0), texts: known.map(({ text }) => text) };
}
