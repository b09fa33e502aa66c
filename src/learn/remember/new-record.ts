// The memory of a source, with everything unknown that its source does not say.
import type { Repo } from "../../domain/job.ts";
import { UNKNOWN_LANGUAGE } from "../../domain/language.ts";
import { type Corpus, type MemoryRecord, memoryId, repoKey } from "../../domain/memory.ts";

type FromSource = "id" | "repo" | "repoName" | "ownerId" | "visibility" | "corpus" | "sourceId";

/** @param sourceId the source's own id, unique in its corpus and repository */
export function newRecord(
  repo: Repo,
  corpus: Corpus,
  sourceId: string,
  known: Pick<MemoryRecord, "text" | "provenance"> & Partial<Omit<MemoryRecord, FromSource>>,
): MemoryRecord {
  const key = repoKey(repo);
  return {
    id: memoryId(key, corpus, sourceId),
    repo: key,
    repoName: `${repo.owner}/${repo.name}`,
    ownerId: repo.ownerId,
    visibility: repo.visibility,
    corpus,
    sourceId,
    replies: [],
    situation: null,
    lesson: null,
    tags: [],
    severity: null,
    category: null,
    path: null,
    language: UNKNOWN_LANGUAGE,
    symbol: null,
    chunkType: null,
    hunk: null,
    flaggedCode: null,
    fixedCode: null,
    outcome: null,
    decided: null,
    described: null,
    sharing: null,
    stale: false,
    ...known,
  };
}
