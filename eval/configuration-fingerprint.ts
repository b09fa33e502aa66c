import { defaultKnowledge } from "../src/config/knowledge.ts";
import { KEYWORDS } from "../src/domain/text/bm25.ts";
import { TOKENISER_VERSION } from "../src/domain/text/tokenise.ts";
import type { Embedder } from "../src/ports/memory.ts";
import table from "../src/retrieve/rank/fusion-table.json" with { type: "json" };
import { TUNING } from "../src/retrieve/tuning.ts";
import { TERM_WEIGHTS } from "../src/search/terms.ts";
import { fingerprint } from "./read-data.ts";

/**
 * Of everything that decides what memory finds: configuration, constants, embedder, learned table,
 * tokeniser.
 */
export function retrievalFingerprint({ space, threshold, weight }: Embedder): string {
  return fingerprint({
    knowledge: defaultKnowledge(),
    tuning: { ...TUNING, variants: [...TUNING.variants] },
    keywords: { BM25: KEYWORDS, TERM_WEIGHTS },
    embedder: { ...space, threshold, weight },
    table: table.fingerprint,
    tokeniser: TOKENISER_VERSION,
  });
}
