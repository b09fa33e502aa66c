// Git quotes a path with control characters, quotes, backslashes or non-ASCII bytes: "b/\303\251.txt".

/** The byte of each escape character. Source: git's quote.c. */
const ESCAPES = new Map([
  ["a", 0x07],
  ["b", 0x08],
  ["t", 0x09],
  ["n", 0x0a],
  ["v", 0x0b],
  ["f", 0x0c],
  ["r", 0x0d],
  ['"', 0x22],
  ["\\", 0x5c],
]);

/** A quoted name at the start of a text, and its length in UTF-16 units including quotes. */
interface QuotedName {
  readonly name: string;
  readonly length: number;
}

/**
 * Reads the C-style quoted name at the start of `text`. Octal escapes are bytes of UTF-8; bytes that are not UTF-8
 * become U+FFFD.
 *
 * @returns null when `text` does not start with a quote, the quote never closes, or an escape is unknown
 */
export function unquotePath(text: string): QuotedName | null {
  if (!text.startsWith('"')) return null;
  const plain = /[^"\\]*/y;
  let name = "";
  let bytes: number[] = [];
  for (let at = 1; at < text.length; ) {
    const char = text.charAt(at);
    if (char === "\\") {
      const escaped = readEscape(text, at + 1);
      if (escaped === null) return null;
      bytes.push(escaped.byte);
      at += 1 + escaped.length;
      continue;
    }
    // Only runs of escapes are bytes; unescaped parts between them are text already.
    name += decode(bytes);
    bytes = [];
    if (char === '"') return { name, length: at + 1 };
    plain.lastIndex = at;
    const run = plain.exec(text)?.[0] ?? "";
    name += run;
    at += run.length;
  }
  return null;
}

function readEscape(text: string, at: number): { byte: number; length: number } | null {
  const letter = ESCAPES.get(text.charAt(at));
  if (letter !== undefined) return { byte: letter, length: 1 };
  const octal = /^[0-3][0-7]{2}/.exec(text.slice(at, at + 3));
  return octal === null ? null : { byte: Number.parseInt(octal[0], 8), length: 3 };
}

function decode(bytes: readonly number[]): string {
  return bytes.length === 0 ? "" : new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes));
}
