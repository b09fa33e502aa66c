// The text of a record that is embedded: its context, then its content. Changing a word here embeds
// everything again, because the hash of this text decides whether a vector is valid.

import { withoutExtension } from "../../domain/code/paths.ts";
import { isOfReview, type MemoryRecord, type RecordHashes } from "../../domain/memory.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import { canonicalJson, shortHash } from "../../domain/text/hash.ts";

/** Embedders read about 8,000 tokens; code has about three characters a token. */
const MAX_DIGEST = 12_000;

/**
 * The text to embed: repository, path, category and symbol (published: 35 % fewer failed
 * retrievals), without language and extension, which the ranking weighs once, as a factor; then
 * situation, tags and lesson where a model has written them, else the text.
 *
 * @returns at most 12,000 characters, well-formed; "" for an empty record
 */
export function digest(record: MemoryRecord): string {
  const { repoName, path, category, symbol } = record;
  // A document's tags are language names: its text is embedded.
  const body = (isOfReview(record) ? fieldsOf(record) : "") || record.text.trim();
  if (body === "") return "";
  const context = [repoName, withoutExtension(path ?? ""), category, symbol].filter(Boolean).join(" · ");
  return cutText(context === "" ? body : `${context}\n${body}`, MAX_DIGEST).toWellFormed();
}

/** `situation | tag | tag | lesson`; "" without situation and lesson: tags alone are too little. */
function fieldsOf({ situation, tags, lesson }: MemoryRecord): string {
  if (situation === null && lesson === null) return "";
  const parts = [situation, ...tags, lesson].map((part) => part?.trim());
  return parts.filter(Boolean).join(" | ");
}

/** @param embedded its digest */
export function recordHashes(of: MemoryRecord, embedded: string): RecordHashes {
  // Staleness and sharing depend on the surroundings, not on the source.
  const record = shortHash(canonicalJson({ ...of, stale: false, sharing: null }), HASH_DIGITS);
  return { record, embedded: shortHash(embedded, HASH_DIGITS) };
}

/** Hash of the model's input and of a decline: changed text needs new fields. */
export function sourceHash({ text, replies, hunk, outcome }: MemoryRecord): string {
  return shortHash(canonicalJson([text, replies, hunk, outcome === "declined"]), HASH_DIGITS);
}

/** 64 bits: a chance of one in 10¹⁰ that any two of 50,000 texts collide. */
const HASH_DIGITS = 16;
