// A memory in one line, as a review quotes it.
import type { Quote } from "../finding.ts";
import type { MemoryRecord } from "../memory.ts";
import { cutText } from "../text/cut-text.ts";

/** UTF-16 units of a quote. */
const QUOTED = 200;

/**
 * The first sentences of a comment, with its author and place. Empty for a pattern of another repository, whose place
 * may not be shown.
 *
 * @returns untrusted text; a finding of ours is quoted by its title and has no author
 */
export function quoteOf(record: Pick<MemoryRecord, "text" | "corpus" | "sharing" | "provenance">): Quote {
  const { text, corpus, sharing, provenance } = record;
  if (sharing === "pattern") return {};
  const isOurs = corpus === "finding";
  const quote = isOurs ? text.split("\n", 1)[0]?.trim() : firstSentences(text);
  const { author, pull } = provenance;
  return {
    ...(quote === undefined || quote === "" ? {} : { quote }),
    ...(author === null || isOurs ? {} : { author }),
    ...(pull === null ? {} : { pull }),
  };
}

/** Whole sentences as far as they fit, else the beginning of the first; without code blocks, quotes and headings. */
function firstSentences(text: string): string {
  const prose = text
    .replace(/^(`{3,}|~{3,})[\s\S]*?(?:^\1.*$|$(?![\s\S]))/gm, "")
    .split("\n")
    .filter((line) => !/^\s*[>#|]/.test(line))
    .join(" ")
    .replace(/\s+/g, " ")
    .trim();
  if (prose.length <= QUOTED) return prose;
  const ends = [...prose.slice(0, QUOTED + 1).matchAll(/[.!?](?= )/g)].at(-1)?.index ?? -1;
  return ends > 0 ? prose.slice(0, ends + 1) : `${cutText(prose, QUOTED - 1).trimEnd()}…`;
}
