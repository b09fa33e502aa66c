/**
 * The text of a file: UTF-16 where a byte order mark says so, as editors and shells of Windows
 * write it, else UTF-8.
 *
 * @returns null for a binary file, one with a NUL character. A mark of UTF-8 stays in the text; a
 * malformed sequence is U+FFFD
 */
export function decodeText(bytes: Uint8Array): string | null {
  const [first, second] = bytes;
  const isLittle = first === 0xff && second === 0xfe;
  const isBig = first === 0xfe && second === 0xff;
  const encoding = isLittle ? "utf-16le" : isBig ? "utf-16be" : "utf-8";
  const text = new TextDecoder(encoding, { ignoreBOM: !isLittle && !isBig }).decode(bytes);
  return text.includes("\0") ? null : text;
}
