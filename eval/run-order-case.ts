// A law of the order, asked of the real store and the real retrieve stage.
import { UNMEASURED } from "../src/adapters/embed-texts.ts";
import { analyze } from "../src/analyze/analyze.ts";
import type { Repo } from "../src/domain/job.ts";
import { canonicalLanguage } from "../src/domain/language.ts";
import { type Corpus, type MemoryRecord, memoryId, repoKey } from "../src/domain/memory.ts";
import type { FileDiff } from "../src/domain/pull-request.ts";
import { parseListedFile } from "../src/gather/parse-diff.ts";
import { evaluationRepo } from "../src/learn/remember/parse-row.ts";
import type { Embedder } from "../src/ports/memory.ts";
import { OF_THE_CHANGE, retrieve, UNAIDED } from "../src/retrieve/retrieve.ts";
import type { OrderCase, OrderMemory } from "./order-case.ts";
import { pullRequestContext } from "./pull-request-context.ts";
import type { TemporaryStore } from "./temporary-store.ts";

type Case = Extract<OrderCase, { kind: "case" }>;

/** What one case found: the ranked list, best first. */
export interface RankedCase {
  readonly list: readonly { readonly id: string; readonly score: number }[];
  /** Ids that were left out, each with the reason. */
  readonly cut: readonly { readonly id: string; readonly reason: string }[];
  readonly degraded: readonly string[];
}

/** When every case is asked. */
const NOW = Date.parse("2026-11-01T00:00:00Z");
/** Longer than any list of a case: what reaches a prompt is another question than the order. */
const WHOLE = 50;
/** A neural embedder's: given vectors replace one. */
const THRESHOLD = 0.3;

/**
 * Remembers the memories of a case in repositories of its own and asks for its change, as a review
 * of an opened pull request does.
 *
 * @param number of the case: another for each case of a store
 * @throws Error when the case cannot be asked: a patch that cannot be read, a row that memory
 * refuses
 */
export async function askOrder(one: Case, number: number, store: TemporaryStore): Promise<RankedCase> {
  const repo = repoOf(number);
  const rows = one.memories.flatMap((memory) => {
    const { corpus } = memory;
    return corpus === "code" ? [] : [{ memory, record: recordOf({ ...memory, corpus }, number, repo) }];
  });
  const ids = new Map(rows.map(({ memory, record }) => [record.id, memory.id]));
  const embedder = one.query?.vector === undefined ? store.embedder : constantEmbedder(unit(one.query.vector));
  if (embedder === store.embedder) {
    await store.addRecords(rows.map(({ record }) => record));
  } else {
    // A memory without a vector of its own is found by words.
    const given = rows.map(({ memory: { vector }, record }) => ({ record, vector: vector ? unit(vector) : null }));
    const { refused } = await store.memory.remember(given, embedder.space);
    if (refused[0] !== undefined) throw new Error(`${refused[0].id} is refused: ${refused[0].reason}`);
  }
  const context = pullRequestContext({
    repo,
    number: one.number,
    title: one.title,
    body: one.body ?? null,
    files: one.files.map(changedFile),
    explicit: false,
  });
  const knowledge = { ...one.config, retrieval: { ...one.config.retrieval, topK: WHOLE } };
  const { ranked, cut, degraded } = await retrieve(
    context,
    analyze(context),
    { ...UNAIDED, embedder, recall: store.recall },
    { ...OF_THE_CHANGE, knowledge, now: NOW, tuning: { fold: false, budget: false } },
  );
  return {
    list: ranked.map(({ record, score }) => ({ id: ids.get(record.id) ?? record.id, score })),
    cut: cut.map(({ id, reason }) => ({ id: ids.get(id) ?? id, reason })),
    degraded: degraded.map(({ part, reason }) => `${part}: ${reason}`),
  };
}

/**
 * All cases have one name, since names are embedded and must not distinguish cases, and an id and
 * an owner of their own.
 */
function repoOf(number: number): Repo {
  return { host: "eval", id: number, ownerId: number, owner: "acme", name: "shop", visibility: "public" };
}

/** Answers every query with the one vector. */
function constantEmbedder(vector: Float32Array): Embedder {
  return {
    space: { model: "order", dimension: vector.length },
    threshold: THRESHOLD,
    ...UNMEASURED,
    weight: 1,
    embed: (texts) => Promise.resolve({ vectors: texts.map(() => vector), tokens: 0, usd: 0, cached: 0, failed: null }),
  };
}

function unit(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values);
  if (length === 0) throw new Error("a vector is all zero");
  return Float32Array.from(values, (value) => value / length);
}

function recordOf(memory: OrderMemory & { readonly corpus: Corpus }, number: number, pulls: Repo): MemoryRecord {
  const repo = memory.repo === undefined ? pulls : evaluationRepo(memory.repo);
  const sourceId = `${number}/${memory.id}`;
  return {
    id: memoryId(repoKey(repo), memory.corpus, sourceId),
    repo: repoKey(repo),
    repoName: `${repo.owner}/${repo.name}`,
    ownerId: repo.ownerId,
    visibility: repo.visibility,
    corpus: memory.corpus,
    sourceId,
    text: memory.text,
    replies: [],
    situation: null,
    lesson: null,
    tags: [],
    severity: null,
    category: null,
    path: memory.path ?? null,
    // As in a row that was written before languages were stored: what reads it must look at the
    // path.
    language: memory.language ? canonicalLanguage(memory.language) : "",
    symbol: null,
    flaggedCode: null,
    fixedCode: null,
    decided: null,
    described: null,
    sharing: null,
    chunkType: null,
    hunk: null,
    outcome: memory.outcome ?? null,
    provenance: {
      url: null,
      author: null,
      authorIsBot: false,
      sha: null,
      pull: memory.pr ?? null,
      // What has no date counts as of today.
      at: memory.createdAt === undefined ? NOW : Date.parse(memory.createdAt),
    },
    stale: false,
  };
}

function changedFile({ path, patch }: Case["files"][number]): FileDiff {
  const read = parseListedFile({ path, previousPath: null, status: "modified", additions: 0, deletions: 0, patch });
  if ("reason" in read) throw new Error(`${path}: ${read.reason}`);
  const count = (kind: string) =>
    read.hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.kind === kind).length, 0);
  return { ...read, additions: count("added"), deletions: count("removed") };
}
