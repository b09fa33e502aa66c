/**
 * The door of retrieve: a pull request and its signals arrive, what was said before about code like it leaves.
 * Gate, queries, one embedding request, two searches a query, one order, the best few. Whatever fails costs its own part
 * only and is said as `degraded`; a review never fails for want of memory.
 */
import type { Knowledge } from "../config/knowledge.ts";
import { type MemoryRecord, repoKey } from "../domain/memory.ts";
import { precedentEntry, sectionFrame } from "../domain/precedent-section.ts";
import type { PullRequestContext } from "../domain/pull-request.ts";
import type {
  GateDecision,
  MemoryCounts,
  Precedents,
  QueryVariant,
  RetrievalQuery,
  Scope,
} from "../domain/retrieval.ts";
import type { ReviewSignals } from "../domain/signals.ts";
import type { Embedder, Recall } from "../ports-memory.ts";
import { type Attempts, attempts } from "./attempts.ts";
import { buildRetrievalQuery } from "./build-query.ts";
import { choose } from "./choose.ts";
import { decide } from "./decide.ts";
import type { QueryCandidates, RetrieverWeights } from "./fuse.ts";
import { type Fusion, fusionOf } from "./fusion.ts";
import { defaultDecision } from "./gate.ts";
import { type GateCache, gateCache } from "./gate-cache.ts";
import { gateConfig } from "./gate-config.ts";
import { gateContext } from "./gate-context.ts";
import type { AskGate } from "./gate-model.ts";
import { LEARNED } from "./learned-fusion.ts";
import { type AskedQuestion, memoryForQuestion } from "./memory-for-question.ts";
import { DEFAULT_THRESHOLD, noPrecedents, shadowed, switchedOff } from "./no-precedents.ts";
import { queryVariants } from "./query-variants.ts";
import { type RankedList, rankMemories } from "./rank-memories.ts";
import { keywordFloor } from "./relevance-floor.ts";
import { admits, scopeOf } from "./scope.ts";
import { SEEN_BEFORE_PART, seenBefore } from "./seen-before.ts";
import { inShadowSample } from "./shadow-sample.ts";
import { strategyWeights } from "./strategy-weights.ts";
import { TUNING, type Tuning } from "./tuning.ts";

export interface RetrievePorts {
  /** Null when there is none: memory is searched by words. */
  readonly embedder: Embedder | null;
  readonly recall: Recall;
}

export interface RetrieveSettings {
  readonly knowledge: Knowledge;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Only what was said before this epoch millisecond, for replays; null or absent for now. */
  readonly before?: number | null;
  readonly gateCache?: GateCache | null;
  /** Asks a small model where no rule of the gate holds; null or absent: nobody is asked. */
  readonly askGate?: AskGate | null;
  /** What `fusion: learned` means: absent the shipped table; null nothing, and then it is `rrf`. */
  readonly learned?: Fusion | null;
  readonly tuning?: Partial<Tuning>;
}

/** What every step of one search needs. */
interface Search {
  readonly context: PullRequestContext;
  readonly signals: ReviewSignals;
  readonly ports: RetrievePorts;
  readonly settings: RetrieveSettings;
  readonly tuning: Tuning;
  readonly scope: Scope;
  readonly tries: Attempts;
  readonly counts: MemoryCounts | null;
}

type Method = Precedents["provenance"]["method"];

/** Characters of the delimiter for which the character budget leaves room. */
const DELIMITER_CHARS = 48;

/** An empty cache of the gate's decisions, to be kept as long as the process and handed to each search. */
export function newGateCache(): GateCache {
  return gateCache();
}

/**
 * Retrieves precedents. Never rejects.
 *
 * @returns what reaches the prompt, best first, with everything that was left out and why; on a skip of the gate an empty
 *   list with the decision
 */
export async function retrieve(
  context: PullRequestContext,
  signals: ReviewSignals,
  ports: RetrievePorts,
  settings: RetrieveSettings,
): Promise<Precedents> {
  const tries = attempts();
  const failed = noPrecedents(defaultDecision("retrieval failed"), settings.knowledge.retrieval);
  const result = await tries.run("retrieval", () => gated(context, signals, ports, settings, tries), failed);
  return { ...result, degraded: tries.degraded() };
}

/** Precedents for a question in a comment. Never rejects; the gate's rules for questions decide whether memory is asked. */
export function retrieveForQuestion(
  question: AskedQuestion,
  ports: RetrievePorts,
  knowledge: Knowledge,
): Promise<Precedents> {
  return memoryForQuestion(question, ports, knowledge);
}

async function gated(
  context: PullRequestContext,
  signals: ReviewSignals,
  ports: RetrievePorts,
  settings: RetrieveSettings,
  tries: Attempts,
): Promise<Precedents> {
  const { retrieval, sharing } = settings.knowledge;
  const tuning = { ...TUNING, ...settings.tuning };
  if (!retrieval.enabled) return noPrecedents(switchedOff(), retrieval);
  const scope = scopeOf(context, sharing.enabled, settings.before ?? null);
  const [counts, version] = await Promise.all([
    tries.run<MemoryCounts | null>("memory-counts", () => ports.recall.counts(scope), null),
    tries.run<number | null>("memory-version", () => ports.recall.version(scope.repo), null),
  ]);
  const seen = gateContext(context, signals, { counts, version, searchable: true });
  const gate = await decide(seen, gateConfig(retrieval.gate), {
    cache: settings.gateCache ?? null,
    ask: settings.askGate ?? null,
    now: settings.now,
  });
  const shadow = !gate.retrieve && counts?.total !== 0 && inShadowSample(sampleKey(context), tuning.shadowShare);
  if (!gate.retrieve && !shadow) return noPrecedents(gate, retrieval);
  const found = await search({ context, signals, ports, settings, tuning, scope, tries, counts }, gate);
  return shadow ? shadowed(found) : found;
}

async function search(at: Search, gate: GateDecision): Promise<Precedents> {
  const { context, signals, settings, tuning, tries } = at;
  const { retrieval } = settings.knowledge;
  const query = queryOf(at);
  const { queries, method } = await candidates(at, query.variants);
  const records = await recordsOf(at, queries);
  const fusion = fusionOf(retrieval.fusion, settings.learned === undefined ? LEARNED : settings.learned);
  if (fusion.name !== retrieval.fusion)
    tries.note("fusion", `${retrieval.fusion} is not available; ${fusion.name} was used`);
  const evidence = { queries, records, context, signals, now: settings.now, pooling: tuning.pooling, k: tuning.k };
  const list = rankMemories(
    { ...evidence, weights: strategyWeights(gate.strategy, ownWeights(at)) },
    {
      ...tuning,
      method,
      fusion,
      strategy: gate.strategy,
      configuredThreshold: configuredThreshold(at),
      keywordFloor: keywordFloor(at.counts?.total ?? null, tuning.rareWords),
    },
  );
  return chosen(at, gate, query, list, method, records);
}

function queryOf({ context, signals, tuning }: Search): RetrievalQuery {
  const { text, dropped } = buildRetrievalQuery(context, signals);
  const variants = queryVariants(text, context, signals, tuning).filter(({ kind }) => tuning.variants.has(kind));
  return { text, dropped, variants };
}

/** Both lists of each query. Without a single list of nearest memories, words must do whatever the method. */
async function candidates(
  at: Search,
  variants: readonly QueryVariant[],
): Promise<{ readonly queries: readonly QueryCandidates[]; readonly method: Method }> {
  const { settings, ports, tuning, scope, tries } = at;
  const { method, topK } = settings.knowledge.retrieval;
  const k = Math.max(tuning.overFetch, topK * 5);
  const filter = { corpora: tuning.corpora };
  const vectors = method === "keyword" ? [] : await embedded(at, variants);
  const { embedder, recall } = ports;
  const nearest = await Promise.all(
    variants.map(async (_, index) => {
      const vector = vectors[index] ?? null;
      if (vector === null || embedder === null) return null;
      return tries.run("vector-search", () => recall.nearest(scope, vector, embedder.space, k, filter), null);
    }),
  );
  const noVectors = nearest.every((list) => list === null);
  const byWords = method !== "semantic" || noVectors;
  const queries = await Promise.all(
    variants.map(async (variant, index) => ({
      variant,
      nearest: nearest[index] ?? [],
      matching: byWords
        ? await tries.run("keyword-search", () => recall.matching(scope, variant.text, k, filter), [])
        : [],
    })),
  );
  return { queries, method: noVectors ? "keyword" : method };
}

/** One request for all texts; null for each that has no vector. */
async function embedded(
  { ports: { embedder }, settings, tries }: Search,
  variants: readonly QueryVariant[],
): Promise<readonly (Float32Array | null)[]> {
  if (embedder === null || settings.knowledge.embeddings === "off") {
    tries.note(
      "embedding",
      embedder === null ? "no embedder; memory was searched by words" : "switched off by the configuration",
    );
    return [];
  }
  const texts = variants.map(({ text }) => text);
  const answer = await tries.run("embedding", () => embedder.embed(texts, "query"), null);
  if (answer === null) return [];
  const missing = texts.filter((_, index) => (answer.vectors[index] ?? null) === null).length;
  if (missing > 0) tries.note("embedding", `${missing} of ${texts.length} queries could not be embedded`);
  return answer.vectors;
}

/** The records of all candidates, each held against the scope once more before anything of it goes on. */
async function recordsOf(
  { ports, scope, tries, context }: Search,
  queries: readonly QueryCandidates[],
): Promise<ReadonlyMap<string, MemoryRecord>> {
  const ids = new Set(queries.flatMap(({ nearest, matching }) => [...nearest, ...matching].map(({ id }) => id)));
  if (ids.size === 0) return new Map();
  const records = await tries.run<readonly MemoryRecord[]>(
    "memory-records",
    () => ports.recall.records(scope, [...ids]),
    [],
  );
  const admitted = records.filter((record) => admits(scope, context.repo.visibility, record));
  return new Map(admitted.map((record) => [record.id, record]));
}

/** Weights of the configuration belong to the weighted fusion; ranks are weighed by how good the embedder is. */
function ownWeights({ settings, ports }: Search): RetrieverWeights {
  const { fusion, weights } = settings.knowledge.retrieval;
  if (fusion === "weighted") return { vector: weights.semantic, keyword: weights.keyword };
  return { vector: ports.embedder?.weight ?? 1, keyword: 1 };
}

function configuredThreshold({ settings, ports }: Pick<Search, "settings" | "ports">): number {
  const { distanceThreshold } = settings.knowledge.retrieval;
  return distanceThreshold === "auto" ? (ports.embedder?.threshold ?? DEFAULT_THRESHOLD) : distanceThreshold;
}

function chosen(
  { context, settings, ports, tuning, scope }: Search,
  gate: GateDecision,
  query: RetrievalQuery,
  list: RankedList,
  method: Method,
  records: ReadonlyMap<string, MemoryRecord>,
): Precedents {
  const { topK, maxContextChars } = settings.knowledge.retrieval;
  const repoName = `${context.repo.owner}/${context.repo.name}`;
  const characters = tuning.budget ? Math.max(0, maxContextChars - sectionFrame(DELIMITER_CHARS)) : null;
  const limits = { topK, perFile: tuning.perFile, characters };
  const picked = choose(list.ranked, limits, (memory) => precedentEntry(memory, repoName).length + 1);
  return {
    kind: "precedents",
    gate,
    query,
    ranked: picked.chosen,
    seenBefore: seenBefore(list.ranked, configuredThreshold({ settings, ports }) * SEEN_BEFORE_PART),
    cut: [...list.cut, ...picked.cut],
    provenance: {
      repoSources: [...new Set(picked.chosen.map(({ record }) => record.repoName))],
      sharedPoolUsed: [...records.values()].some(({ repo }) => repo !== scope.repo),
      totalCandidates: list.candidates,
      threshold: list.threshold.threshold,
      thresholdMethod: list.threshold.method,
      method,
    },
    degraded: [],
  };
}

function sampleKey({ repo, pull }: PullRequestContext): string {
  return `${repoKey(repo)}#${pull.number}@${pull.head.sha}`;
}
