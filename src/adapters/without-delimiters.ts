// Normalises a prompt's random delimiters, so that equal prompts have equal text.

/** Numbers each delimiter (`kodiai-` and 16 or more hexadecimal digits) in the order of its first use, so that two stay distinct. */
export function withoutDelimiters(text: string): string {
  const seen = new Map<string, number>();
  return text.replace(/kodiai-[0-9a-f]{16,}/g, (delimiter) => {
    const number = seen.get(delimiter) ?? seen.size + 1;
    seen.set(delimiter, number);
    return `kodiai-delimiter-${number}`;
  });
}
