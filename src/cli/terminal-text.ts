import { cutText } from "../domain/text/cut-text.ts";

/**
 * Text by others for a terminal: characters that would control it, reorder a line or hide text are shown as `<U+001B>`. The
 * joiner of emoji stays.
 */
export function terminalText(text: string): string {
  return text.replace(/[[\p{Cc}\p{Cf}]--[\t\n\u200D]]/gv, (character) => {
    const digits = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
    return `<U+${digits.padStart(4, "0")}>`;
  });
}

/** The first `most` UTF-16 units, with `…` where something was cut. */
export function clipped(text: string, most: number): string {
  return text.length > most ? `${cutText(text, most)}…` : text;
}
