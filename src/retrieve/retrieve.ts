/**
 * The retrieve stage: finds earlier comments on similar code for a pull request and its signals.
 * Gate, queries, one embedding request, two searches per query, one ranking (optionally reranked),
 * the best few; a model helps if configured. A failure affects only its own part and is reported as
 * `degraded`; a review never fails for lack of memory.
 */

import type { Knowledge } from "../config/knowledge.ts";
import type { HandSearch } from "../domain/memory/search-result.ts";
import { CORPORA, type MemoryRecord } from "../domain/memory.ts";
import { type ModelAllowance, NO_ALLOWANCE } from "../domain/model.ts";
import type { PullRequestContext } from "../domain/pull-request.ts";
import type {
  EmbeddingUsage,
  GateDecision,
  MemoryCounts,
  Precedents,
  QueryVariant,
  RetrievalQuery,
  Scope,
} from "../domain/retrieval.ts";
import type { ReviewSignals } from "../domain/signals.ts";
import type { Embedder, Recall, Reranker } from "../ports/memory.ts";
import { chosenPrecedents, noPrecedents, notSearched, SEEN_BEFORE_PART, shadowed } from "./choose.ts";
import { type Attempts, attempts } from "./degradation-log.ts";
import { decide, type GateCache, inShadowSample, sampleKey } from "./gate/evaluate-gate.ts";
import { defaultDecision, gateConfig } from "./gate/gate.ts";
import { changeExcerpt, NARROW } from "./model/change-excerpt.ts";
import { budgetedModel, type ModelBudget } from "./model/model-budget.ts";
import { sampleMemories, settleHypothetical, withWritten } from "./model/model-written-queries.ts";
import { rerankingOf, rerankMemories } from "./model/rerank.ts";
import {
  type Asked,
  type AskedQuestion,
  askedByHand,
  askedInComment,
  changeQuery,
  embedQueries,
  NOT_EMBEDDED,
} from "./query/asked-queries.ts";
import { withoutShortWords } from "./query/build-query.ts";
import { scopeOf, type VisibleRecords, visibleRecords } from "./query/scope.ts";
import { ownWeights, type QueryCandidates, shortlist, strategyWeights } from "./rank/fusion.ts";
import { askedChange } from "./rank/learned-fusion.ts";
import { rankMemories } from "./rank/rank-memories.ts";
import { configuredThreshold, keywordFloor } from "./rank/threshold.ts";
import { TUNING, type Tuning } from "./tuning.ts";

export { newGateCache } from "./gate/evaluate-gate.ts";

export interface RetrievePorts {
  /** Null when there is none: memory is searched by keywords. */
  readonly embedder: Embedder | null;
  readonly recall: Recall;
  /** Null keeps the fused order. */
  readonly reranker: Reranker | null;
  /** The model and its budget. */
  readonly allowance: ModelAllowance;
  /** Epoch milliseconds, to time the gate. */
  readonly now: () => number;
}

/** No help: words only, no model, and the gate is not timed. */
export const UNAIDED: Omit<RetrievePorts, "recall"> = {
  embedder: null,
  reranker: null,
  allowance: NO_ALLOWANCE,
  now: () => 0,
};

export interface RetrieveSettings {
  readonly knowledge: Knowledge;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Only memories from before this epoch millisecond, for replays; null for now. */
  readonly before: number | null;
  readonly gateCache: GateCache | null;
  readonly tuning: Partial<Tuning>;
  /** A question in place of the change's own queries; null: the change asks. */
  readonly asked: Asked | null;
}

/** The change asks now, with the usual figures. */
export const OF_THE_CHANGE: Omit<RetrieveSettings, "knowledge" | "now"> = {
  before: null,
  gateCache: null,
  tuning: {},
  asked: null,
};

interface Search {
  readonly context: PullRequestContext;
  readonly signals: ReviewSignals;
  readonly ports: RetrievePorts;
  readonly settings: RetrieveSettings;
  readonly tuning: Tuning;
  readonly scope: Scope;
  readonly tries: Attempts;
  readonly budget: ModelBudget;
  readonly counts: MemoryCounts | null;
}

/**
 * Retrieves precedents. Never rejects.
 *
 * @returns what reaches the prompt, best first, with everything that was left out and why; when the
 * gate skips, an empty list with the decision
 */
export async function retrieve(
  context: PullRequestContext,
  signals: ReviewSignals,
  ports: RetrievePorts,
  settings: RetrieveSettings,
): Promise<Precedents> {
  const tries = attempts();
  const budget = budgetedModel(ports.allowance, tries.note);
  const failed = noPrecedents(defaultDecision("retrieval failed"), settings.knowledge.retrieval);
  const work = () => gated(context, signals, ports, settings, { tries, budget });
  const result = await tries.run("retrieval", work, failed);
  return { ...result, modelCosts: budget.costs(), degraded: tries.degraded() };
}

/** Searches memory for a typed text like a review, without a gate. Never rejects. */
export function searchMemory(text: string, search: HandSearch, ports: RetrievePorts): Promise<Precedents> {
  const { context, signals, settings } = askedByHand(text, search);
  return retrieve(context, signals, ports, settings);
}

/** Precedents for a question in a comment, if the gate for questions wants them. Never rejects. */
export function retrieveForQuestion(
  question: AskedQuestion,
  ports: RetrievePorts,
  { knowledge, now }: Pick<RetrieveSettings, "knowledge" | "now">,
): Promise<Precedents> {
  const { context, signals, settings } = askedInComment(question, knowledge, now);
  return retrieve(context, signals, ports, settings);
}

async function gated(
  context: PullRequestContext,
  signals: ReviewSignals,
  ports: RetrievePorts,
  settings: RetrieveSettings,
  { tries, budget }: Pick<Search, "tries" | "budget">,
): Promise<Precedents> {
  const { retrieval, sharing } = settings.knowledge;
  const tuning = { ...TUNING, ...settings.tuning };
  if (!retrieval.enabled)
    return noPrecedents(notSearched("configuration", "knowledge.retrieval.enabled is false"), retrieval);
  if (ports.recall.off !== null) {
    tries.note("memory", ports.recall.off);
    return noPrecedents(notSearched("memory", ports.recall.off), retrieval);
  }
  const scope = scopeOf(context, sharing.takes, settings.before);
  const asking = Promise.all([
    tries.run<MemoryCounts | null>("memory-counts", () => ports.recall.counts(scope), null),
    tries.run<number | null>("memory-version", () => ports.recall.version(scope.repo), null),
  ]);
  // While memory answers: of most changes the gate lets the query be asked.
  const queryFor = settings.asked?.query ?? always(changeQuery(context, signals, retrieval.queryChars, tuning));
  const [counts, version] = await asking;
  const memory = { counts, version };
  const deciding = async () =>
    settings.asked?.decide?.(counts) ??
    decide({ ...context, signals, memory }, gateConfig(retrieval.gate), {
      cache: settings.gateCache,
      ask: retrieval.gate.model ? budget : null,
      now: settings.now,
    });
  const begun = ports.now();
  const gate = await tries.run("gate", deciding, defaultDecision("the gate failed"));
  const gateMs = Math.max(0, ports.now() - begun);
  const shadow =
    !gate.retrieve && !settings.asked && counts?.total !== 0 && inShadowSample(sampleKey(context), tuning.shadowShare);
  if (!gate.retrieve && !shadow) return { ...noPrecedents(gate, retrieval), gateMs };
  const at = { context, signals, ports, settings, tuning, scope, tries, budget, counts };
  const found = await search(at, gate, queryFor(gate.strategy));
  return { ...(shadow ? shadowed(found) : found), gateMs };
}

function always(query: RetrievalQuery): Asked["query"] {
  return () => query;
}

const KEYWORD_SEARCH = "keyword-search";

/** @param own the query of the change, or of the person who replaces it */
async function search(at: Search, gate: GateDecision, own: RetrievalQuery): Promise<Precedents> {
  const { context, signals, settings, tuning, tries, budget } = at;
  const { embedder } = at.ports;
  const retrieval = withOperators(settings.knowledge.retrieval, embedder);
  const wish = { retrieval, isEmbedding: isEmbedding(at), length: tuning.queryLength };
  const asked = settings.asked
    ? own
    : await withWritten(own, at, { ...wish, examples: () => examplesOf(at, own.text) }, budget);
  const found = await candidates(at, asked.variants);
  const { method, usage } = found;
  const { queries, unused } = settleHypothetical(found.queries);
  const query = unused === null ? asked : { ...asked, dropped: [...asked.dropped, unused] };
  const { fusion } = retrieval;
  const threshold = configuredThreshold(retrieval, embedder);
  const { pooling } = tuning;
  const weights = strategyWeights(gate.strategy, ownWeights(retrieval, embedder));
  const limits = { fusion, method, weights, pooling, nearHunk: threshold * SEEN_BEFORE_PART };
  const { listed, behind, hits } = shortlist(queries, limits);
  const reading = recordsOf(at, listed);
  const inWords = method === "semantic" ? null : askedChange(context);
  const { records, withheld } = await reading;
  // A lexical embedder's vectors repeat words, including those of the path, which `place` weighs.
  const isLexical = embedder === null || embedder.weight < 1;
  const embedderThreshold = isLexical ? null : embedder.threshold;
  // Without words there is no probability: then the distance of a lexical embedder has to do.
  const isWordless = tries.degraded().some(({ part }) => part === KEYWORD_SEARCH);
  const isCalibrated =
    !isLexical || isWordless || method === "semantic" || retrieval.distanceThreshold !== "auto" || !!settings.asked;
  const placed = settings.asked ? { ...context, files: settings.asked.files } : context;
  const { leastProbability } = tuning;
  const admits = {
    distance: isCalibrated && method !== "keyword",
    probability: method === "semantic" || isWordless || leastProbability > 1 ? null : leastProbability,
  };
  const list = rankMemories(
    { queries, hits, records, context: placed, signals, weights, embedderThreshold, now: settings.now },
    {
      ...tuning,
      method,
      fusion,
      sourceWeights: retrieval.sourceWeights,
      strategy: gate.strategy,
      configuredThreshold: threshold,
      admits,
      keywordFloor: settings.asked ? 0 : keywordFloor(at.counts?.total ?? null),
    },
    new Set(behind),
    inWords,
  );
  const change = () => changeExcerpt(context, signals, NARROW);
  const asking = { reranker: at.ports.reranker, budget, keep: tuning.rerankKeep, change, isChange: !settings.asked };
  const reranking = rerankingOf(retrieval, asking, tries);
  const { ranked, report } = await rerankMemories(list.ranked, queries, reranking, tries);
  const whole = { ...list, ranked, cut: [...withheld, ...list.cut] };
  const all = { gate, query, list: whole, method, records, usage, rerank: report };
  return chosenPrecedents(all, {
    ...at,
    retrieval,
    admits,
    configuredThreshold: threshold,
    edges: embedder?.confidence ?? null,
  });
}

function withOperators(retrieval: Knowledge["retrieval"], embedder: Embedder | null): Knowledge["retrieval"] {
  const { distanceThreshold: own } = retrieval;
  return { ...retrieval, distanceThreshold: own === "auto" ? (embedder?.operatorThreshold ?? own) : own };
}

function isEmbedding({ ports, settings }: Search): boolean {
  return ports.embedder !== null && settings.knowledge.embeddings !== "off";
}

/** A few memories of other changes that resemble the text. */
async function examplesOf(at: Search, text: string): Promise<readonly MemoryRecord[]> {
  const { ports, scope, tries, context, tuning } = at;
  const filter = { corpora: ["finding", "review_comment"] } as const;
  const ask = () => ports.recall.matching(scope, [text], tuning.overFetch, filter, tries.note);
  const [hits = []] = await tries.run("query-examples", ask, []);
  const ids = hits.map(({ id }) => id);
  const { records } = await recordsOf(at, ids);
  return sampleMemories([...records.values()], sampleKey(context));
}

const WITHOUT_DOCUMENTS = CORPORA.filter((corpus) => corpus !== "doc");

/** Both lists of each query. Without vectors, keywords are searched under any method. */
async function candidates(
  at: Search,
  variants: readonly QueryVariant[],
): Promise<{
  readonly queries: readonly QueryCandidates[];
  readonly method: Precedents["provenance"]["method"];
  readonly usage: EmbeddingUsage;
}> {
  const { settings, ports, tuning, scope, tries } = at;
  const { embedder, recall } = ports;
  const { method, topK, minKeywordLength } = settings.knowledge.retrieval;
  const k = Math.max(tuning.overFetch, topK * 5);
  const filter = { corpora: settings.knowledge.corpora.docs ? CORPORA : WITHOUT_DOCUMENTS, ...settings.asked?.filter };
  const { vectors, usage } =
    method === "keyword" ? NOT_EMBEDDED : await embedQueries(embedder, isEmbedding(at), variants, tries);
  const texts = variants.map(({ text }) => withoutShortWords(text, minKeywordLength));
  const byTerms = () => tries.run(KEYWORD_SEARCH, () => recall.matching(scope, texts, k, filter, tries.note), []);
  const soon = method === "semantic" ? null : byTerms();
  const asked = variants.flatMap((_, at) => vectors[at] ?? []);
  const byVectors = ({ space }: Embedder) =>
    tries.run("vector-search", () => recall.nearest(scope, asked, space, k, filter, tries.note), null);
  const near = embedder === null || asked.length === 0 ? null : await byVectors(embedder);
  const matching = (await (soon ?? (near === null ? byTerms() : null))) ?? [];
  const lists = near?.values();
  const queries = variants.map((variant, at) => ({
    variant,
    nearest: vectors[at] ? (lists?.next().value ?? []) : [],
    matching: matching[at] ?? [],
  }));
  return { queries, method: near === null ? "keyword" : method, usage };
}

/** The records of these ids, each checked against the scope again before use. */
async function recordsOf({ ports, scope, tries, context }: Search, found: readonly string[]): Promise<VisibleRecords> {
  const ids = [...new Set(found)];
  const ask = () => (ids.length === 0 ? Promise.resolve([]) : ports.recall.records(scope, ids));
  return visibleRecords(await tries.run("memory-records", ask, []), scope, context.repo.visibility);
}
