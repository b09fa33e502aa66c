// Reveals hidden characters in text that a model reads, because attacks hide in them. Every line
// stays one line, so that line numbers and anchors hold.

/**
 * White space that ends a line elsewhere, or that no keyboard makes; TAB and space are ordinary.
 */
const ODD_SPACE = /[\v\f\u0085\u2028\u2029\r]/g;

/**
 * Control, format and surrogate characters, variation selectors, tag characters, invisible fillers,
 * and the rest of Unicode's Default_Ignorable_Code_Point.
 */
const HIDDEN =
  /[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]|[^\P{Cc}\t]|[\u115F\u1160\u3164\uFFA0\u2800]|[\uFE00-\uFE0F]|[\u{E0100}-\u{E01EF}]/gu;

/**
 * One line of text with every hidden character written as `⟦U+202E⟧`; none is dropped.
 *
 * @param line without its line ending; a CR, LF or other line separator in it is revealed too
 */
export function revealLine(line: string): string {
  return line
    .replace(ODD_SPACE, mark)
    .replace(HIDDEN, (hidden, at: number, whole: string) => (isOfEmoji(hidden, at, whole) ? hidden : mark(hidden)));
}

const PICTURE_BEFORE = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)$/u;
const KEYCAP = /^[#*0-9]\uFE0F\u20E3/;

/** A variation selector right after a picture, and a joiner between two pictures, are visible. */
function isOfEmoji(hidden: string, at: number, whole: string): boolean {
  if (hidden !== "\u200D" && hidden !== "\uFE0E" && hidden !== "\uFE0F") return false;
  const before = whole.slice(Math.max(0, at - 2), at);
  if (hidden !== "\u200D")
    return /\p{Extended_Pictographic}$/u.test(before) || KEYCAP.test(whole.slice(Math.max(0, at - 1), at + 2));
  return PICTURE_BEFORE.test(before) && /^\p{Extended_Pictographic}/u.test(whole.slice(at + 1, at + 3));
}

/** Several lines, each revealed; CR LF and CR become LF. */
export function reveal(text: string): string {
  return text.replace(/\r\n?/g, "\n").split("\n").map(revealLine).join("\n");
}

function mark(hidden: string): string {
  return `⟦U+${(hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟧`;
}

/**
 * Text by others between unguessable lines, so that it cannot end its own quotation.
 *
 * @param label names the content: "description"
 * @param delimiter unguessable, new for each prompt: `kodiai-` and hex digits
 * @returns the text with hidden characters revealed and every trace of the delimiter removed,
 * between two marked lines
 */
export function fence(label: string, text: string, delimiter: string): string {
  let inside = reveal(text);
  // Until none is left: a removal could join the parts of another.
  while (inside.includes(delimiter)) inside = inside.replaceAll(delimiter, "");
  return `${delimiter} ${label}\n${inside}\n${delimiter} end of ${label}`;
}
