// The output of `kodiai search --json`. A breaking change raises `version`.

import type { Repo } from "../../domain/job.ts";
import type { FoundMemory, SearchWish } from "../../domain/memory/search-result.ts";
import { repoKey } from "../../domain/memory.ts";
import { isoDate } from "../../domain/text/iso-date.ts";
import type { HandSearched } from "./search-memory.ts";

/** Plain JSON, version 2; results best first. */
export function foundJson(repo: Repo, asked: SearchWish, { memories, searches }: HandSearched) {
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
  const { record, score, distance, confidence, adjustedDistance, terms, alternateSources } = memory;
  const { vectorRank, keywordRank, keywordScore } = memory;
  const { repoName: repo, corpus, path, symbol, language, chunkType, category, severity, outcome } = record;
  const { author, at, url } = record.provenance;
  const rank = { distance, confidence, adjustedDistance, vectorRank, keywordRank, keywordScore, terms };
  const about = { repo, corpus, path, symbol, language, chunkType, category, severity, outcome };
  const source = { author, date: isoDate(at), url, text: record.text, alternateSources };
  return { id: record.id, score, foundBy: text, ...rank, ...about, ...source };
}
