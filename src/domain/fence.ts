// Text by others, between lines that nobody can guess, so that it cannot end its own quotation.
import { reveal } from "./reveal.ts";

/**
 * @param label what stands inside, in our words: "description"
 * @param delimiter unguessable, new for each prompt: `kodiai-` and hex digits
 * @returns the text with hidden characters revealed and every trace of the delimiter taken out, between two marked lines
 */
export function fence(label: string, text: string, delimiter: string): string {
  const inside = withoutDelimiter(reveal(text), delimiter);
  return `${delimiter} ${label}\n${inside}\n${delimiter} end of ${label}`;
}

/** Taken out again and again: what is left after one removal could join into another. */
function withoutDelimiter(text: string, delimiter: string): string {
  let rest = text;
  while (rest.includes(delimiter)) rest = rest.replaceAll(delimiter, "");
  return rest;
}
