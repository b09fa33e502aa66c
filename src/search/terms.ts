// A record's search terms: hashes of its words with weights, stored with it, scored by BM25.

import { withoutExtension } from "../domain/code/paths.ts";
import type { MemoryRecord } from "../domain/memory.ts";
import { bagOf } from "../domain/text/bm25.ts";
import { fnv1a } from "../domain/text/hash.ts";
import { tokenise } from "../domain/text/tokenise.ts";
import { BACKGROUND } from "../domain/text/word-rarity.ts";

/**
 * Weight of a word by its field, in quarters so that sums stay exact. On the development queries of
 * task G (n = 247): text alone MRR .295 and R@10 .465, with path .303 and .473, with path and a
 * quarter of the hunk .310 and .478; any hunk weight from ⅛ to ½ and path weight from 1 to 2 lies
 * within .005 of that.
 */
export const TERM_WEIGHTS = { text: 4, path: 4, symbol: 4, hunk: 1 };
/** Parts per word. */
export const PARTS = 4;

/** Bytes of a term: four of its hash and two of its count, little-endian. */
export const TERM_BYTES = 6;
const MOST_COUNT = 65_535;

/**
 * The terms of a record, TERM_BYTES each, in the order of their first occurrence. Counts are in
 * PARTS of a word. Neither the extension of its path nor a document's tags, which are languages,
 * are among them: the ranking weighs language.
 */
export function recordTerms(record: MemoryRecord): Uint8Array {
  const counts = new Map<number, number>();
  const add = (text: string, weight: number) => {
    for (const word of tokenise(text)) {
      const hash = termHash(word);
      counts.set(hash, (counts.get(hash) ?? 0) + weight);
    }
  };
  const tags = record.corpus === "doc" || record.corpus === "wiki" ? [] : record.tags;
  const said = [record.text, record.situation, record.lesson, ...tags, ...record.replies];
  add(said.filter((part) => part !== null).join("\n"), TERM_WEIGHTS.text);
  add(withoutExtension(record.path ?? ""), TERM_WEIGHTS.path);
  add(record.symbol ?? "", TERM_WEIGHTS.symbol);
  add(record.hunk ?? "", TERM_WEIGHTS.hunk);
  const terms = new DataView(new ArrayBuffer(counts.size * TERM_BYTES));
  let at = 0;
  for (const [hash, count] of counts) {
    terms.setUint32(at, hash, true);
    terms.setUint16(at + 4, Math.min(count, MOST_COUNT), true);
    at += TERM_BYTES;
  }
  return new Uint8Array(terms.buffer);
}

const SHARES = new Map([...BACKGROUND.counts].map(([word, count]) => [termHash(word), count / BACKGROUND.texts]));

/** The share of the texts of many repositories that have the word of this hash, 0–1. */
export function shareEverywhere(hash: number): number {
  return SHARES.get(hash) ?? 0;
}

/** The terms of a query: hashes of its words; repeats count less and less. */
export function queryTerms(text: string): ReadonlyMap<number, number> {
  return bagOf(tokenise(text).map(termHash));
}

/**
 * A 32-bit hash of a word, never 0 (FNV-1a with the finaliser of murmur3). Among 100,000 words
 * about one pair collides, too few to affect results; and a stored hash does not reveal the word.
 */
function termHash(word: string): number {
  let hash = fnv1a(word);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0 || 1;
}
