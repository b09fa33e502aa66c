// A record to the words by which it is found, kept apart by where they stand, since some places tell more than others.
import type { MemoryRecord } from "../../domain/memory.ts";
import { tokenise } from "../../domain/tokenise.ts";

/** The places, in the order of the columns of `words`. */
export const WORD_COLUMNS = ["text", "path", "symbol", "hunk"] as const;
type WordColumn = (typeof WORD_COLUMNS)[number];

/** Words of each place, separated by one space. */
export function recordWords(record: MemoryRecord): Record<WordColumn, string> {
  const said = [record.text, record.situation, record.lesson, ...record.tags, ...record.replies];
  return {
    text: words(said.filter((part) => part !== null).join("\n")),
    path: words(record.path ?? ""),
    symbol: words(record.symbol ?? ""),
    hunk: words(record.hunk ?? ""),
  };
}

function words(text: string): string {
  return tokenise(text).join(" ");
}
