// A memory as a prompt may show it.

import type { RankedMemory } from "../../domain/retrieval.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import { visibleText } from "../../domain/text/rendered-markdown.ts";
import { reveal, revealLine } from "../../domain/text/untrusted-text.ts";

/** UTF-16 units of a memory that are read; a prompt shows less. */
const MOST_REMEMBERED = 4_000;

/** Reveals hidden characters in a memory's words and path, which were written by others. */
export function revealedMemory(memory: RankedMemory): RankedMemory {
  const { record, rejections } = memory;
  const path = record.path === null ? null : revealLine(record.path);
  const reason = rejections?.reason ?? null;
  return {
    ...memory,
    ...(rejections === undefined || reason === null
      ? {}
      : { rejections: { ...rejections, reason: revealLine(reason) } }),
    record: { ...record, path, text: reveal(visibleText(cutText(record.text, MOST_REMEMBERED)).text) },
  };
}
