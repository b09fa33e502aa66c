// The output of `kodiai search --json`. A breaking change raises `version`.

import type { Repo } from "../../domain/job.ts";
import type { FoundMemory, HandSearch } from "../../domain/memory/search-result.ts";
import { repoKey } from "../../domain/memory.ts";
import { isoDate } from "../../domain/text/iso-date.ts";
import type { HandSearched } from "../../flows/memory/search-memory.ts";

/** Plain JSON, version 2; results best first. */
export function foundJson(repo: Repo, asked: Omit<HandSearch, "repo" | "now">, { memories, searches }: HandSearched) {
  return {
    version: 2,
    repo: { key: repoKey(repo), name: `${repo.owner}/${repo.name}` },
    asked,
    results: memories.map(result),
    searches: searches.map(({ text, ms, precedents }) => ({
      text,
      ms,
      provenance: precedents.provenance,
      usage: precedents.usage,
      rerank: precedents.rerank ?? null,
      cut: precedents.cut,
      degraded: precedents.degraded,
    })),
  };
}

function result({ memory, text }: FoundMemory) {
  const {
    record,
    score,
    distance,
    confidence = null,
    adjustedDistance,
    vectorRank,
    keywordRank,
    keywordScore,
    terms,
    alternateSources,
  } = memory;
  const { provenance } = record;
  return {
    id: record.id,
    score,
    foundBy: text,
    distance,
    confidence,
    adjustedDistance,
    vectorRank,
    keywordRank,
    keywordScore,
    terms,
    repo: record.repoName,
    corpus: record.corpus,
    path: record.path,
    symbol: record.symbol,
    language: record.language,
    chunkType: record.chunkType,
    category: record.category,
    severity: record.severity,
    outcome: record.outcome,
    author: provenance.author,
    date: isoDate(provenance.at),
    url: provenance.url,
    text: record.text,
    alternateSources,
  };
}
