// Without a model, too, memory speaks: where changed code is much like code that was commented on before, the summary says so.

import { decidedWords } from "../domain/evidence.ts";
import { isoDate } from "../domain/iso-date.ts";
import type { Corpus } from "../domain/memory.ts";
import type { RankedMemory, SeenBefore } from "../domain/retrieval.ts";

/** Lines of one summary. */
const MOST = 5;

/** Only what people or reviews said is a precedent; documents and code are not. */
const SAID: ReadonlySet<Corpus> = new Set<Corpus>(["finding", "review_comment"]);

/** How much nearer than "relevant" a memory must be to the changed code itself: this part of the embedder's threshold. */
export const SEEN_BEFORE_PART = 2 / 3;

/**
 * Precedents for the changed code itself, most similar first, at most 5: comments and findings whose raw distance to a
 * changed hunk is at most `maxDistance`.
 */
export function seenBefore(ranked: readonly RankedMemory[], maxDistance: number): readonly SeenBefore[] {
  return ranked
    .flatMap(({ record, nearestHunk }): readonly SeenBefore[] => {
      if (nearestHunk === null || nearestHunk.distance > maxDistance) return [];
      // Where a pattern of another repository comes from is not told, and without that there is nothing to show.
      if (!SAID.has(record.corpus) || record.sharing === "pattern") return [];
      return [
        {
          memoryId: record.id,
          path: nearestHunk.path,
          url: record.provenance.url,
          outcome: record.outcome ?? "unknown",
          ...(record.decided ? { decided: decidedWords(record.decided) } : {}),
          date: isoDate(record.provenance.at),
          similarity: Math.min(1, Math.max(0, 1 - nearestHunk.distance)),
        },
      ];
    })
    .toSorted((a, b) => b.similarity - a.similarity || (a.memoryId < b.memoryId ? -1 : 1))
    .slice(0, MOST);
}
