// A prompt without what is new in it each time: two prompts that ask the same are the same text.

/** Each delimiter (`kodiai-` and 16 or more hexadecimal digits) numbered in the order of its first use, so that two stay two. */
export function withoutDelimiters(text: string): string {
  const seen = new Map<string, number>();
  return text.replace(/kodiai-[0-9a-f]{16,}/g, (delimiter) => {
    const number = seen.get(delimiter) ?? seen.size + 1;
    seen.set(delimiter, number);
    return `kodiai-delimiter-${number}`;
  });
}
