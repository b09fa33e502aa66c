// The text of a record that is embedded: its context, then its content. Changing a word here embeds everything again,
// because the hash of this text decides whether a vector is valid.

import { withoutExtension } from "../../domain/code/paths.ts";
import type { MemoryRecord, RecordHashes } from "../../domain/memory.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import { canonicalJson, shortHash } from "../../domain/text/hash.ts";

/**
 * The embedded part of a record. `fields`: situation, tags and lesson when a model has written them, else the text.
 * `situation`: only the situation; `situation-and-tags`: these two. `text`: the comment. `text-and-code`: the comment
 * and its hunk.
 */
export type DigestKind = "fields" | "situation" | "situation-and-tags" | "text" | "text-and-code";

export interface DigestForm {
  readonly kind: DigestKind;
  /**
   * Repository, path, category and symbol before the text (published: 35 % fewer failed retrievals). Without language and
   * extension, which the ranking weighs once, as a factor.
   */
  readonly context: boolean;
}

export const DEFAULT_DIGEST: DigestForm = { kind: "fields", context: true };

/** Embedders read about 8,000 tokens, code has about three characters a token, and the beginning matters most. */
const MAX_DIGEST = 12_000;

/**
 * The text to embed.
 *
 * @returns at most 12,000 characters, well-formed; "" for an empty record
 */
export function digest(record: MemoryRecord, form: DigestForm = DEFAULT_DIGEST): string {
  const body = bodyOf(record, form.kind);
  if (body === "") return "";
  const context = form.context ? contextOf(record) : "";
  return cutText(context === "" ? body : `${context}\n${body}`, MAX_DIGEST).toWellFormed();
}

function contextOf(record: MemoryRecord): string {
  const { repoName, path, category, symbol } = record;
  return [repoName, withoutExtension(path ?? ""), category, symbol].filter(Boolean).join(" · ");
}

function bodyOf(record: MemoryRecord, kind: DigestKind): string {
  const said = record.text.trim();
  // A document's tags are language names, and code has none: their text is embedded.
  if (record.corpus !== "finding" && record.corpus !== "review_comment") return said;
  const written = {
    fields: fieldsOf(record),
    situation: record.situation?.trim(),
    "situation-and-tags": fieldsOf({ ...record, lesson: null }),
    text: said,
    "text-and-code": `${said}\n${record.hunk?.trim() ?? ""}`.trim(),
  }[kind];
  return written || said;
}

/** `situation | tag | tag | lesson`; "" when neither situation nor lesson was written: tags alone are too little. */
function fieldsOf({ situation, tags, lesson }: MemoryRecord): string {
  if (situation === null && lesson === null) return "";
  const parts = [situation, ...tags, lesson].map((part) => part?.trim());
  return parts.filter(Boolean).join(" | ");
}

/** @param embedded its digest */
export function recordHashes(of: MemoryRecord, embedded: string): RecordHashes {
  // Staleness and sharing depend on the surroundings, not on the source.
  const { sharing: _, ...said } = of;
  const record = shortHash(canonicalJson({ ...said, stale: false }), HASH_DIGITS);
  return { record, embedded: shortHash(embedded, HASH_DIGITS) };
}

/** Hash of the model's input and of whether the comment was declined: changed text needs new fields. */
export function sourceHash({ text, replies, hunk, outcome }: MemoryRecord): string {
  return shortHash(canonicalJson([text, replies, hunk, outcome === "declined"]), HASH_DIGITS);
}

/** 64 bits: a chance of one in 10¹⁰ that any two of 50,000 texts collide. */
const HASH_DIGITS = 16;
