// Secrets are hidden before anything is embedded or stored, in every field that holds words of others.
import { cutText } from "../domain/cut-text.ts";
import type { MemoryRecord } from "../domain/memory.ts";
import { MAX_HUNK } from "./cut-hunk.ts";

/** Puts a marker in the place of every secret; doing so twice changes nothing more. */
export type Redact = (text: string) => Promise<string>;

/** The record without secrets. Rejects with what `redact` rejects with: what could not be redacted is not stored. */
export async function redactRecord(record: MemoryRecord, redact: Redact): Promise<MemoryRecord> {
  const [text, replies, situation, lesson, hunk, tags, flaggedCode, fixedCode] = await Promise.all([
    redact(record.text),
    Promise.all(record.replies.map(redact)),
    orNull(record.situation, redact),
    orNull(record.lesson, redact),
    orNull(record.hunk, redact),
    // Those of documents are names of languages.
    record.described === undefined ? record.tags : Promise.all(record.tags.map(redact)),
    orNull(record.flaggedCode ?? null, redact),
    orNull(record.fixedCode ?? null, redact),
  ]);
  const { decided = null } = record;
  const known = decided === null ? {} : { decided: { ...decided, reason: await orNull(decided.reason, redact) } };
  return {
    ...{ ...record, ...known, text, replies, situation, lesson, hunk, tags },
    ...(flaggedCode === null ? {} : { flaggedCode: piece(flaggedCode) }),
    ...(fixedCode === null ? {} : { fixedCode: piece(fixedCode) }),
  };
}

/** As much as is kept of any piece of code. */
function piece(code: string): string {
  return cutText(code, MAX_HUNK).toWellFormed();
}

async function orNull(text: string | null, redact: Redact): Promise<string | null> {
  return text === null ? null : redact(text);
}
