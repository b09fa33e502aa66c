// Nothing that people cannot see leaves unseen: bidi controls, escapes and tag characters show as <U+202E>.

/** Line ends of every kind become LF. */
const LINE_ENDS = /\r\n?|\u2028|\u2029|\u0085|\v|\f/g;

/**
 * Dropped without a trace: soft hyphen, joiners, zero-width spaces, variation selectors, byte order mark. Ordinary text
 * and emoji carry them; at worst a family emoji falls into its members.
 */
const SILENT =
  /\u00AD|\u034F|[\u180B-\u180F]|[\u200B-\u200D]|[\u2060-\u2064]|[\uFE00-\uFE0F]|\uFEFF|[\u{E0100}-\u{E01EF}]/gu;

/** Control and format characters, lone surrogates, and letters that draw nothing (Hangul fillers, the empty Braille cell). */
const HIDDEN = /[\p{Cf}\p{Cs}]|[^\P{Cc}\n\t]|[\u115F\u1160\u3164\uFFA0\u2800]/gu;

/**
 * Makes hidden characters visible as `<U+202E>` or removes those that ordinary text carries.
 *
 * @returns text whose only control characters are LF and TAB; well-formed UTF-16; idempotent
 */
export function visible(text: string): string {
  return text
    .replace(LINE_ENDS, "\n")
    .replace(SILENT, "")
    .replace(HIDDEN, (hidden) => `<U+${(hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`);
}
