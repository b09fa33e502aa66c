// Redacts every field with text by others before anything is embedded or stored.

import type { MemoryRecord } from "../../domain/memory.ts";
import { cutText } from "../../domain/text/cut-text.ts";

/** Replaces every secret with a mark; doing so twice changes nothing more. */
export type Redact = (text: string) => Promise<string>;

/** The record without secrets. Rejects where `redact` does: nothing unredacted is stored. */
export async function redactRecord(record: MemoryRecord, redact: Redact): Promise<MemoryRecord> {
  const orNull = async (text: string | null) => (text === null ? null : redact(text));
  /** Cut to the limit of every stored piece of code. */
  const piece = async (code: string | null) =>
    code === null ? null : cutText(await redact(code), MAX_HUNK).toWellFormed();
  const { decided, flaggedCode, fixedCode } = record;
  return {
    ...record,
    decided: decided && { ...decided, reason: await orNull(decided.reason) },
    text: await redact(record.text),
    replies: await Promise.all(record.replies.map(redact)),
    situation: await orNull(record.situation),
    lesson: await orNull(record.lesson),
    hunk: await orNull(record.hunk),
    // A document's tags are language names.
    tags: record.described === null ? record.tags : await Promise.all(record.tags.map(redact)),
    flaggedCode: await piece(flaggedCode),
    fixedCode: await piece(fixedCode),
  };
}

// Hunks end at the commented line, so their beginning is cut off.

/** The limit of every stored piece of code. */
export const MAX_HUNK = 4_000;
const CUT = "…";

/**
 * A hunk of at most 4,000 characters: its `@@` line, and as many whole lines from its end as fit. A
 * last line that does not fit by itself is cut at its end.
 */
export function cutHunk(hunk: string): string {
  if (hunk.length <= MAX_HUNK) return hunk;
  const lineEnd = hunk.indexOf("\n");
  const header = hunk.startsWith("@@") && lineEnd !== -1 && lineEnd <= 300 ? `${hunk.slice(0, lineEnd)}\n` : "";
  return `${header}${CUT}\n${lastLines(hunk, MAX_HUNK - header.length - CUT.length - 1)}`.toWellFormed();
}

/** The last whole lines that fit into `most` UTF-16 units; of a longer last line its beginning. */
export function lastLines(text: string, most: number): string {
  if (text.length <= most) return text;
  const newline = text.indexOf("\n", text.length - most - 1);
  if (newline !== -1 && newline !== text.length - 1) return text.slice(newline + 1);
  return cutText(text.slice(text.lastIndexOf("\n", text.length - 2) + 1), most);
}
