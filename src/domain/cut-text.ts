// Cutting text without breaking a character in two.

/** The first `most` UTF-16 units, one fewer where the cut would split a surrogate pair. `most` below 1 gives "". */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = Math.max(0, Math.floor(most));
  const last = text.charCodeAt(end - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? end - 1 : end);
}

/** On one line: every run of white space and control characters becomes one space, ends trimmed. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
}
