// The part of the precedents that a review stores: enough to quote and to count, without the texts.
import { decidedText } from "../../domain/memory/evidence.ts";
import { quoteOf } from "../../domain/memory/quote.ts";
import type { Precedents, RankedMemory } from "../../domain/retrieval.ts";
import type { ReviewMemory } from "../../domain/review.ts";
import { isoDate } from "../../domain/text/iso-date.ts";

/** Goes into the ledger and the JSON. */
export function reviewMemory({ gate, ranked, seenBefore }: Precedents): ReviewMemory {
  return { gate, precedents: ranked.map(asPrecedent), seenBefore };
}

export function asPrecedent({ record, distance }: RankedMemory): ReviewMemory["precedents"][number] {
  return {
    id: record.id,
    url: record.provenance.url,
    outcome: record.outcome ?? "unknown",
    ...(record.decided ? { decided: decidedText(record.decided) } : {}),
    date: isoDate(record.provenance.at),
    ...quoteOf(record),
    similarity: distance === null ? 0 : Math.min(1, Math.max(0, 1 - distance)),
  };
}
