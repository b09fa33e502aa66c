// Exports a repository's memory as lines of a file: records that `memory import` reads back, or pairs for tuning an
// embedder. Also proposes rules from recurring comments.

import type { Repo } from "../../domain/job.ts";
import type { Conventions } from "../../domain/memory/convention.ts";
import type { Corpus, EmbeddingSpace, MemoryRecord } from "../../domain/memory.ts";
import { ownScope } from "../../domain/retrieval.ts";
import { pairsOf, proposeConventions, recordLine } from "../../learn/learn.ts";
import type { Memory, Recall } from "../../ports/memory.ts";

export interface ExportPorts {
  readonly memory: Memory;
  readonly recall: Recall;
  readonly space: EmbeddingSpace;
}

interface ExportWish {
  readonly repo: Repo;
  readonly corpora: readonly Corpus[];
  readonly what: "records" | "pairs";
}

/** Records per read. */
const PAGE = 500;
/** How many of the most similar memories are considered as counterexamples. */
const ALIKE = 10;

/**
 * One JSON text per line, without line ends, by corpus, then id: the same memory gives the same file. Stale records and
 * vectors are left out; an import computes vectors again.
 *
 * @throws Transient when memory cannot be read now
 */
export async function* exportMemory(wish: ExportWish, ports: ExportPorts): AsyncGenerator<string> {
  if (wish.what === "records") {
    for await (const record of recordsOf(wish, ports)) yield recordLine(record);
    return;
  }
  const records = await Array.fromAsync(recordsOf(wish, ports));
  for (const pair of pairsOf(records, await alikeOf(records, wish, ports))) yield JSON.stringify(pair);
}

/** A repository's whole memory, as its owner sees it, by corpus, then id. */
export async function* recordsOf(
  { repo, corpora }: Pick<ExportWish, "repo" | "corpora">,
  { memory, recall, space }: ExportPorts,
): AsyncGenerator<MemoryRecord> {
  const scope = ownScope(repo);
  for (const corpus of corpora) {
    const ids = [...(await memory.known(scope.repo, corpus, space, null)).values()].map(({ id }) => id).sort();
    for (let at = 0; at < ids.length; at += PAGE) yield* await recall.records(scope, ids.slice(at, at + PAGE));
  }
}

async function alikeOf(
  records: readonly MemoryRecord[],
  { repo, corpora }: ExportWish,
  { recall }: ExportPorts,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const alike = new Map<string, readonly string[]>();
  for (const { id, situation, text, provenance } of records) {
    const scope = ownScope(repo, provenance.pull);
    const [hits = []] = await recall.matching(scope, [situation ?? text], ALIKE, { corpora });
    const ids = hits.map((hit) => hit.id);
    alike.set(id, ids);
  }
  return alike;
}

/**
 * Reads and writes nothing else.
 *
 * @param recurrence `least` distinct pull requests; `since` epoch milliseconds or null
 * @throws Transient when memory cannot be read now
 */
export async function findConventions(
  repo: Repo,
  recurrence: { readonly least: number; readonly since: number | null },
  ports: ExportPorts,
): Promise<Conventions> {
  const records = recordsOf({ repo, corpora: ["review_comment", "finding"] }, ports);
  return proposeConventions(await Array.fromAsync(records), recurrence);
}
