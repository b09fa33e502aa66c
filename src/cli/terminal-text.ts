/** Text by others for a terminal: characters that would control it or reorder a line are shown as `<U+001B>`. */
export function terminalText(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) =>
    character === "\n" || character === "\t"
      ? character
      : `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`,
  );
}
