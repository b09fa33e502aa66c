import { expect, test } from "vitest";
import { decodeText } from "../../src/domain/text/decode-text.ts";

test("UTF-8, and UTF-16 by its mark, are text; a NUL character is binary", () => {
  const text = "größe: 1 # 😀\n";
  const wide = Buffer.from(`\ufeff${text}`, "utf16le");
  for (const bytes of [Buffer.from(text), wide, Buffer.from(wide).swap16()]) expect(decodeText(bytes)).toBe(text);
  // Offsets in files of the repository count it.
  expect(decodeText(Buffer.from(`\ufeff${text}`))).toBe(`\ufeff${text}`);
  for (const bytes of [Buffer.from("a\0b"), Buffer.from(text, "utf16le"), Buffer.from("\ufeffa\0", "utf16le")])
    expect(decodeText(bytes)).toBeNull();
  for (const length of [0, 1, 2, 3]) expect(decodeText(wide.subarray(0, length))).not.toBeNull();
});
