// What memory knows about a question in a comment: gate, one query, two lists, one order. What fails is said, never thrown.
import type { Knowledge } from "../config/knowledge.ts";
import type { Repo } from "../domain/job.ts";
import type { EmbeddingSpace, MemoryRecord } from "../domain/memory.ts";
import type {
  KeywordHit,
  MemoryCounts,
  MemoryFilter,
  Precedents,
  RankedMemory,
  Scope,
  VectorHit,
} from "../domain/retrieval.ts";
import { type Attempts, attempts } from "./attempts.ts";
import { defaultDecision } from "./gate.ts";
import { gateConfig } from "./gate-config.ts";
import { DEFAULT_THRESHOLD, noPrecedents, switchedOff } from "./no-precedents.ts";
import { questionGate } from "./question-gate.ts";
import { keywordFloor } from "./relevance-floor.ts";
import { admits, scopeOf } from "./scope.ts";
import { questionQuery, rankForQuestion } from "./search-for-question.ts";
import { TUNING } from "./tuning.ts";

/** A question, and where it was asked. */
export interface AskedQuestion {
  readonly repo: Repo;
  readonly pull: { readonly number: number };
  readonly text: string;
  /** The file it was asked on, or null. */
  readonly path: string | null;
}

/** The part of the memory that is asked. */
export interface AskedMemory {
  readonly embedder: {
    readonly space: EmbeddingSpace;
    readonly threshold: number;
    readonly weight: number;
    embed(texts: readonly string[], kind: "query"): Promise<{ readonly vectors: readonly (Float32Array | null)[] }>;
  } | null;
  readonly recall: {
    counts(scope: Scope): Promise<MemoryCounts>;
    nearest(
      scope: Scope,
      vector: Float32Array,
      space: EmbeddingSpace,
      k: number,
      filter: MemoryFilter,
    ): Promise<readonly VectorHit[]>;
    matching(scope: Scope, text: string, k: number, filter: MemoryFilter): Promise<readonly KeywordHit[]>;
    records(scope: Scope, ids: readonly string[]): Promise<readonly MemoryRecord[]>;
  };
}

/** Never rejects. On a skip of the gate no embedding and no search is asked for. */
export async function memoryForQuestion(
  question: AskedQuestion,
  memory: AskedMemory,
  knowledge: Knowledge,
): Promise<Precedents> {
  const { retrieval, sharing } = knowledge;
  if (!retrieval.enabled) return noPrecedents(switchedOff(), retrieval);
  const tries = attempts();
  const scope = scopeOf(question, sharing.enabled);
  const counts = await tries.run<MemoryCounts | null>("memory-counts", () => memory.recall.counts(scope), null);
  const gate = questionGate(question.text, gateConfig(retrieval.gate), counts);
  const nothing = noPrecedents(gate, retrieval);
  if (!gate.retrieve) return { ...nothing, degraded: tries.degraded() };
  const failed = { ...nothing, gate: defaultDecision("the search for the question failed") };
  const found = await tries.run(
    "retrieval",
    async () => ({ ...nothing, ranked: await search(question, memory, { ...knowledge, scope, counts, gate, tries }) }),
    failed,
  );
  return { ...found, degraded: tries.degraded() };
}

interface Search extends Knowledge {
  readonly scope: Scope;
  readonly counts: MemoryCounts | null;
  readonly gate: Precedents["gate"];
  readonly tries: Attempts;
}

async function search(
  question: AskedQuestion,
  { embedder, recall }: AskedMemory,
  { retrieval, embeddings, scope, counts, gate, tries }: Search,
): Promise<readonly RankedMemory[]> {
  const text = questionQuery(question.text, question.path);
  const filter = { corpora: TUNING.corpora };
  const mayEmbed = embedder !== null && embeddings !== "off" && retrieval.method !== "keyword";
  const vector = mayEmbed
    ? ((await tries.run("embedding", () => embedder.embed([text], "query"), { vectors: [] })).vectors[0] ?? null)
    : null;
  const [nearest, matching] = await Promise.all([
    vector === null || embedder === null
      ? []
      : tries.run("vector-search", () => recall.nearest(scope, vector, embedder.space, TUNING.overFetch, filter), []),
    retrieval.method === "semantic" && vector !== null
      ? []
      : tries.run("keyword-search", () => recall.matching(scope, text, TUNING.overFetch, filter), []),
  ]);
  const ids = [...new Set([...nearest, ...matching].map(({ id }) => id))];
  const records = await tries.run("memory-records", () => recall.records(scope, ids), []);
  const admitted = records.filter((record) => admits(scope, question.repo.visibility, record));
  const { distanceThreshold, topK } = retrieval;
  return rankForQuestion(
    { nearest, matching, records: new Map(admitted.map((record) => [record.id, record])) },
    {
      threshold: distanceThreshold === "auto" ? (embedder?.threshold ?? DEFAULT_THRESHOLD) : distanceThreshold,
      keywordFloor: keywordFloor(counts?.total ?? null),
      topK,
      strategy: gate.strategy,
      vectorWeight: embedder?.weight ?? 1,
    },
  );
}
