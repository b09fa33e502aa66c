// What is remembered of one repository -> lines that `memory import` reads back.
import type { Repo } from "../domain/job.ts";
import { type Corpus, repoKey } from "../domain/memory.ts";
import { recordLine } from "../learn/learn.ts";
import type { Embedder, Memory, Recall } from "../ports-memory.ts";

export interface ExportPorts {
  readonly memory: Memory;
  readonly recall: Recall;
  readonly embedder: Embedder;
}

/** Records that are read together. */
const BATCH = 200;

/**
 * @returns one line a memory, without its line end; by corpus, then id, so that the same memory gives the same file.
 *   Vectors are not part of it: they are made again by whoever imports it
 * @throws what memory throws
 */
export async function* exportMemory(
  repo: Repo,
  corpora: readonly Corpus[],
  { memory, recall, embedder }: ExportPorts,
): AsyncGenerator<string> {
  const scope = { repo: repoKey(repo), ownerPool: null, excludePull: null, before: null };
  for (const corpus of corpora) {
    const known = await memory.known(scope.repo, corpus, embedder.space, null);
    const ids = [...known.values()].map(({ id }) => id).sort();
    for (let at = 0; at < ids.length; at += BATCH) {
      for (const record of await recall.records(scope, ids.slice(at, at + BATCH))) yield recordLine(record);
    }
  }
}
