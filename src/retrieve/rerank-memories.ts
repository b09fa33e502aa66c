// The best memories are put in the order in which they help, by whoever reads query and text together: each query is asked
// with its own candidates, and a memory stands where its best query puts it. What fails leaves the order as it was.
import type { MemoryRecord } from "../domain/memory.ts";
import type { RankedMemory, RerankReport, Strategy } from "../domain/retrieval.ts";
import type { Attempts } from "./attempts.ts";
import type { QueryCandidates } from "./fuse.ts";

/** What is reranked, and with which words. */
export interface RerankTuning {
  /** So many of the best ranked are handed over; what ranks behind them stays behind them. */
  readonly most: number;
  /** So many must be in order; null: as many as are used. A query with no more candidates than that is not asked. */
  readonly keep: number | null;
  /** `situation`: what was going on; `situation+lesson`: and what to do. Where neither was written, the text as it was said. */
  readonly text: "situation" | "situation+lesson";
  /** Strategies of the gate for which nobody is asked: words find a symbol that is named better than any reading does. */
  readonly skipFor: ReadonlySet<Strategy>;
  /** 0–1: nobody is asked when the first leads the second by this share of its lead over the last; null always asks. */
  readonly skipAtMargin: number | null;
}

export interface Reranking {
  /** Who is asked, for logs. */
  readonly by: string;
  readonly topK: number;
  readonly strategy: Strategy | null;
  readonly tuning: RerankTuning;
  readonly ask: AskOrder;
}

/** Orders the candidates of one query. */
export type AskOrder = (
  query: string,
  candidates: readonly RerankText[],
  topK: number,
) => Promise<{
  /** Higher is better, by id; who has none stands behind those who have. */
  readonly scores: ReadonlyMap<string, number>;
  readonly tokens: number;
  readonly usd: number;
  readonly ms: number;
  readonly failed: string | null;
}>;

export interface RerankText {
  readonly id: string;
  readonly text: string;
  readonly path: string | null;
  readonly type: string;
  readonly language: string;
}

type Answer = Awaited<ReturnType<AskOrder>> & { readonly ids: readonly string[] };

/** Places that a prompt usually has. */
const TOP = 5;

/** A reranker promises never to reject; one that does all the same costs its own query only. */
const DID_NOT_ANSWER = { scores: new Map<string, number>(), tokens: 0, usd: 0, ms: 0, failed: "the reranker failed" };

/**
 * Reorders the best of a ranked list. All queries are asked side by side; one that fails leaves the others alone, and a
 * memory that only it found keeps its place. Never rejects: what fails is noted in `tries`.
 *
 * @param ranked best first
 * @param reranking null leaves the order
 * @returns the same memories; `report` is null when nobody was asked: too few candidates, a clear winner, or a strategy that
 *   leaves the order to words
 */
export async function rerankMemories(
  ranked: readonly RankedMemory[],
  queries: readonly QueryCandidates[],
  reranking: Reranking | null,
  tries: Pick<Attempts, "note">,
): Promise<{ readonly ranked: readonly RankedMemory[]; readonly report: RerankReport | null }> {
  const unasked = { ranked, report: null };
  if (reranking === null) return unasked;
  const { by, ask, strategy, tuning } = reranking;
  const keep = tuning.keep ?? reranking.topK;
  const pool = ranked.slice(0, tuning.most);
  if (strategy !== null && tuning.skipFor.has(strategy)) return unasked;
  if (pool.length <= keep || clearWinner(pool, tuning.skipAtMargin)) return unasked;
  const requests = requestsOf(pool, queries, tuning.text).filter(({ candidates }) => candidates.length > keep);
  if (requests.length === 0) return unasked;
  const answers = await Promise.all(
    requests.map(async ({ query, candidates }): Promise<Answer> => {
      const ids = candidates.map(({ id }) => id);
      try {
        return { ...(await ask(query, candidates, keep)), ids };
      } catch {
        return { ...DID_NOT_ANSWER, ids };
      }
    }),
  );
  const order = pooledOrder(pool, answers);
  const report = reportOf(by, pool, order, answers);
  if (report.failed !== null) tries.note("rerank", report.failed);
  return { ranked: [...order, ...ranked.slice(pool.length)], report };
}

/** How a memory is read beside a query; never empty as long as it says something. */
export function rerankText(
  { situation, lesson, text }: Pick<MemoryRecord, "situation" | "lesson" | "text">,
  kind: RerankTuning["text"],
): string {
  const said = situation ?? text;
  return kind === "situation" || lesson === null ? said : `${said}\n${lesson}`;
}

function clearWinner(pool: readonly RankedMemory[], margin: number | null): boolean {
  const [first, second, last] = [pool[0]?.score ?? 0, pool[1]?.score ?? 0, pool.at(-1)?.score ?? 0];
  return margin !== null && first > last && (first - second) / (first - last) >= margin;
}

function requestsOf(pool: readonly RankedMemory[], queries: readonly QueryCandidates[], kind: RerankTuning["text"]) {
  // Made once: whoever reads the same candidate for several queries can know it again.
  const all = pool.map(({ record }) => candidateOf(record, kind));
  return queries.map(({ variant, nearest, matching }) => {
    const found = new Set([...nearest, ...matching].map(({ id }) => id));
    return { query: variant.text, candidates: all.filter(({ id }) => found.has(id)) };
  });
}

function candidateOf(record: MemoryRecord, kind: RerankTuning["text"]): RerankText {
  const { id, path, chunkType, corpus, language } = record;
  return { id, text: rerankText(record, kind), path, type: chunkType ?? corpus, language };
}

/**
 * Each memory by its best score (a sum would favour what many queries find). Memories that no
 * answer is about keep their places; the others share the remaining places, those without a score last and as they stood.
 */
function pooledOrder(pool: readonly RankedMemory[], answers: readonly Answer[]): readonly RankedMemory[] {
  const best = new Map<string, number>();
  for (const { ids, scores } of answers.filter(({ failed }) => failed === null)) {
    for (const id of ids) {
      const score = scores.get(id) ?? Number.NEGATIVE_INFINITY;
      best.set(id, Math.max(best.get(id) ?? Number.NEGATIVE_INFINITY, score));
    }
  }
  const scoreOf = ({ record }: RankedMemory) => best.get(record.id) ?? Number.NEGATIVE_INFINITY;
  const judged = pool.filter(({ record }) => best.has(record.id));
  const next = judged.toSorted((a, b) => (scoreOf(a) === scoreOf(b) ? 0 : scoreOf(b) - scoreOf(a))).values();
  const order = pool.map((memory) => (best.has(memory.record.id) ? (next.next().value ?? memory) : memory));
  return order.map((memory) => {
    const rerankScore = scoreOf(memory);
    return Number.isFinite(rerankScore) ? { ...memory, rerankScore } : memory;
  });
}

function reportOf(
  by: string,
  before: readonly RankedMemory[],
  after: readonly RankedMemory[],
  answers: readonly Answer[],
): RerankReport {
  const places = new Map(before.map(({ record }, place) => [record.id, place]));
  const top = after.slice(0, TOP);
  const risen = top.filter(({ record }) => (places.get(record.id) ?? 0) >= TOP);
  const moves = after.map(({ record }, place) => Math.abs(place - (places.get(record.id) ?? place)));
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    by,
    ms: Math.max(...answers.map(({ ms }) => ms)),
    tokens: sum(answers.map(({ tokens }) => tokens)),
    usd: sum(answers.map(({ usd }) => usd)),
    topChanged: risen.length / top.length,
    meanMove: sum(moves) / moves.length,
    failed: failureOf(answers),
  };
}

function failureOf(answers: readonly Answer[]): string | null {
  const failures = answers.flatMap(({ failed }) => (failed === null ? [] : [failed]));
  const [first = null] = failures;
  return first === null || failures.length === answers.length
    ? first
    : `${failures.length} of ${answers.length} queries: ${first}`;
}
