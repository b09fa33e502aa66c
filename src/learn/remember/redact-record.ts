// Redacts every field with text by others before anything is embedded or stored.

import type { MemoryRecord } from "../../domain/memory.ts";
import { cutText } from "../../domain/text/cut-text.ts";

/** Replaces every secret with a mark; doing so twice changes nothing more. */
export type Redact = (text: string) => Promise<string>;

/**
 * The record without secrets. Rejects with what `redact` rejects with: text that could not be redacted is not stored.
 */
export async function redactRecord(record: MemoryRecord, redact: Redact): Promise<MemoryRecord> {
  const [text, replies, situation, lesson, hunk, tags, flaggedCode, fixedCode] = await Promise.all([
    redact(record.text),
    Promise.all(record.replies.map(redact)),
    orNull(record.situation, redact),
    orNull(record.lesson, redact),
    orNull(record.hunk, redact),
    // A document's tags are language names.
    record.described === undefined ? record.tags : Promise.all(record.tags.map(redact)),
    orNull(record.flaggedCode ?? null, redact),
    orNull(record.fixedCode ?? null, redact),
  ]);
  const { decided = null } = record;
  const known = decided === null ? {} : { decided: { ...decided, reason: await orNull(decided.reason, redact) } };
  return {
    ...record,
    ...known,
    text,
    replies,
    situation,
    lesson,
    hunk,
    tags,
    ...(flaggedCode === null ? {} : { flaggedCode: piece(flaggedCode) }),
    ...(fixedCode === null ? {} : { fixedCode: piece(fixedCode) }),
  };
}

/** Cuts to the limit of every stored piece of code. */
function piece(code: string): string {
  return cutText(code, MAX_HUNK).toWellFormed();
}

async function orNull(text: string | null, redact: Redact): Promise<string | null> {
  return text === null ? null : redact(text);
}

// Hunks end at the commented line, so their beginning is cut off.

/** The limit of every stored piece of code. */
export const MAX_HUNK = 4_000;
const CUT = "…";

/**
 * A hunk of at most 4,000 characters: its `@@` line, and as many whole lines from its end as fit. A last line that does
 * not fit by itself is cut at its end.
 */
export function cutHunk(hunk: string): string {
  if (hunk.length <= MAX_HUNK) return hunk;
  const lineEnd = hunk.indexOf("\n");
  const header = hunk.startsWith("@@") && lineEnd !== -1 && lineEnd <= 300 ? `${hunk.slice(0, lineEnd)}\n` : "";
  const budget = MAX_HUNK - header.length - CUT.length - 1;
  const newline = hunk.indexOf("\n", hunk.length - budget - 1);
  const tail =
    newline === -1 || newline === hunk.length - 1
      ? cutText(hunk.slice(hunk.lastIndexOf("\n", hunk.length - 2) + 1), budget)
      : hunk.slice(newline + 1);
  return `${header}${CUT}\n${tail}`.toWellFormed();
}
