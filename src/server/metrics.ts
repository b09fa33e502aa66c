// The metrics of a running server, counted as things happen and scraped by Prometheus.
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { LoggedRetrieval } from "../domain/figures/logged-retrieval.ts";
import { gateFigures, scoreLimit } from "../domain/figures/retrieval-figures.ts";
import type { ModelUsage, Purpose } from "../domain/model.ts";
import type { Degraded } from "../domain/omissions.ts";
import type { PostedReview } from "../domain/review.ts";
import type { JobEnd, LaneName } from "../ports.ts";
import type { githubFetch } from "../wire/egress.ts";
import type { Store } from "../wire/store.ts";
import { METRICS, type MetricEntry, type NameOf } from "./metric-list.ts";

export const LANES: readonly LaneName[] = ["review", "command", "upkeep"];

export type Metrics = ReturnType<typeof appMetrics>;

/** Distinct values of labels that come from outside; GitHub has about seventy events. */
const MOST_KINDS = 500;

/**
 * None of its functions throws: no work fails because of a metric. Times are milliseconds.
 *
 * @param far counts in another process; null: here
 */
export function appMetrics(version: string, far: Meters | null = null) {
  const registry = new Registry();
  const all = far ?? meters(registry);
  const { count, observe, set } = all;
  const kinds = new Set<string>();
  const latest: LoggedRetrieval[] = [];
  /** Bounds the number of label values; further ones count as "other". */
  const known = (kind: string) => {
    if (kinds.size < MOST_KINDS) kinds.add(kind);
    return kinds.has(kind);
  };
  const degraded = (parts: readonly string[]) => {
    for (const part of parts) count("kodiai_degradations_total", { part: known(part) ? part : "other" });
  };
  set("kodiai_build_info", { version }, 1);
  // Initialised to 0, because Prometheus sees no increase in the first value of a series.
  count("kodiai_deliveries_total", { event: "pull_request", outcome: "review" }, 0);
  for (const lane of LANES)
    for (const state of ["done", "retry", "at-capacity", "parked"]) count("kodiai_job_ends_total", { lane, state }, 0);
  for (const cause of ["died", "overran"]) count("kodiai_worker_replacements_total", { cause }, 0);
  for (const outcome of [...OUTCOMES, "other"]) count("kodiai_reviews_total", { outcome }, 0);
  return {
    apply: ({ kind, change }: MeterChange) => (all[kind] as (...given: readonly unknown[]) => void)(...change),
    /** A worker process ended and is replaced: it `died`, or a job `overran` its time. */
    replaced: (cause: string) => count("kodiai_worker_replacements_total", { cause }),
    answered(status: number, ms: number): void {
      count("kodiai_answers_total", { status: String(status) });
      if (status === 202) observe("kodiai_ack_seconds", {}, ms / 1_000);
    },
    /** A stored delivery: its event and its outcome (`review`, `ignored`, `seen before`, …). */
    took(event: string, outcome: string): void {
      count("kodiai_deliveries_total", { event: known(event) ? event : "other", outcome });
    },
    waited: (lane: LaneName, ms: number) => observe("kodiai_queue_wait_seconds", { lane }, ms / 1_000),
    ended(lane: LaneName, end: JobEnd, ms: number): void {
      count("kodiai_job_ends_total", { lane, state: end.state });
      observe("kodiai_job_duration_seconds", { lane }, ms / 1_000);
      if (lane === "review" && end.state === "done")
        count("kodiai_reviews_total", { outcome: outcomeWord(end.outcome) });
    },
    stage: (stage: string, ms: number) => observe("kodiai_stage_duration_seconds", { stage }, ms / 1_000),
    posted({ review, findings }: PostedReview): void {
      const held = review.heldBack.map(({ finding }) => ({ finding, place: "held-back" }));
      for (const { finding, place } of [...findings, ...held]) {
        const { severity, source } = finding;
        count("kodiai_findings_total", { place, severity, source });
      }
    },
    degraded: (parts: readonly Pick<Degraded, "part">[]) => degraded(parts.map(({ part }) => part)),
    retrieved(entry: LoggedRetrieval): void {
      // A manual search has no gate.
      if (entry.origin !== "search") {
        latest.push(entry);
        if (latest.length > LATEST_DECISIONS) latest.shift();
        countDecision(entry, latest, all);
      }
      if (entry.searched) countSearch(entry, all);
      // A review counts its own.
      if (entry.origin === "question") degraded(entry.degraded);
    },
    modelUsed(purpose: Purpose, { inputTokens, cachedTokens, outputTokens, usd, ms }: ModelUsage): void {
      count("kodiai_model_questions_total", { purpose });
      count("kodiai_model_tokens_total", { purpose, direction: "input" }, inputTokens);
      count("kodiai_model_tokens_total", { purpose, direction: "cached" }, cachedTokens);
      count("kodiai_model_tokens_total", { purpose, direction: "output" }, outputTokens);
      count("kodiai_model_cost_usd_total", { purpose }, usd ?? 0);
      observe("kodiai_model_duration_seconds", { purpose }, ms / 1_000);
    },
    decided: (outcome: string, by: number) => count("kodiai_finding_outcomes_total", { outcome }, by),
    /** A gauge that is read at the time of a scrape; absent when it is not known. */
    set: all.set,
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

type Labels = Readonly<Record<string, string>>;

export type Meters = ReturnType<typeof meters>;

/** One call of a meter, as data. */
export type MeterChange = {
  [Kind in keyof Meters]: { readonly kind: Kind; readonly change: Parameters<Meters[Kind]> };
}[keyof Meters];

/** The latest decisions, which the rates and the savings of the gate are made from. */
const LATEST_DECISIONS = 1_000;

function countDecision(
  entry: LoggedRetrieval,
  latest: readonly LoggedRetrieval[],
  { count, observe, set }: Meters,
): void {
  const { retrieve, decidedBy, ms, shadow, shadowHits } = entry.gate;
  const decision = retrieve ? "search" : "skip";
  const { skipShare, fastPathShare, accuracy, tokensPerSkip } = gateFigures(latest);
  count("kodiai_gate_decisions_total", { decision, rule: decidedBy });
  if (ms !== null) observe("kodiai_gate_duration_seconds", { decision }, ms / 1_000);
  set("kodiai_gate_skip_ratio", {}, skipShare);
  set("kodiai_gate_fast_path_ratio", {}, fastPathShare);
  set("kodiai_gate_accuracy_ratio", {}, accuracy ?? Number.NaN);
  if (!retrieve && !shadow) count("kodiai_gate_saved_tokens_total", {}, tokensPerSkip);
  if (shadow) count("kodiai_gate_shadow_searches_total", { result: shadowHits > 0 ? "hit" : "nothing" });
}

function countSearch(entry: LoggedRetrieval, { count, observe, set }: Meters): void {
  const { origin, method, retrievalMs, rerank, embedding, averageDistance } = entry;
  observe("kodiai_retrieval_duration_seconds", { origin, method }, retrievalMs / 1_000);
  count("kodiai_retrieved_memories_total", {}, entry.ids.length);
  if (averageDistance !== null) {
    observe("kodiai_retrieval_similarity_ratio", {}, Math.min(1, Math.max(0, 1 - averageDistance)));
    if (entry.admits.distance)
      set("kodiai_retrieval_similarity_limit_ratio", {}, Math.max(0, scoreLimit(entry.calibrated)));
  }
  if (embedding.tokens > 0 || embedding.usd > 0 || embedding.cached > 0) {
    count("kodiai_embedded_texts_total", { from: "cache" }, embedding.cached);
    count("kodiai_embedded_texts_total", { from: "service" }, Math.max(0, embedding.texts - embedding.cached));
  }
  count("kodiai_embedding_tokens_total", {}, embedding.tokens);
  const rerankUsd = rerank?.usd ?? 0;
  count("kodiai_retrieval_cost_usd_total", { part: "search" }, entry.usd - rerankUsd);
  count("kodiai_retrieval_cost_usd_total", { part: "rerank" }, rerankUsd);
  if (rerank !== null) {
    const result = rerank.failed === null ? "done" : "failed";
    observe("kodiai_rerank_duration_seconds", { result }, rerank.ms / 1_000);
  }
}

function meters(registry: Registry) {
  const counters = new Map<string, Counter>();
  const gauges = new Map<string, Gauge>();
  const histograms = new Map<string, Histogram>();
  for (const entry of METRICS as readonly MetricEntry[]) {
    const { name, help, type, buckets } = entry;
    const settings = { name, help, labelNames: Object.keys(entry.labels), registers: [registry] };
    if (type === "counter") counters.set(name, new Counter(settings));
    else if (type === "gauge") {
      const gauge = new Gauge(settings);
      gauges.set(name, gauge);
      // Absent until it is known, rather than 0.
      gauge.remove({});
    } else histograms.set(name, new Histogram({ ...settings, buckets: [...(buckets ?? [])] }));
  }
  return {
    count(name: NameOf<"counter">, labels: Labels, by = 1): void {
      if (by >= 0 && Number.isFinite(by)) counters.get(name)?.inc({ ...labels }, by);
    },
    observe(name: NameOf<"histogram">, labels: Labels, value: number): void {
      if (Number.isFinite(value)) histograms.get(name)?.observe({ ...labels }, Math.max(0, value));
    },
    set(name: NameOf<"gauge">, labels: Labels, value: number | undefined): void {
      const gauge = gauges.get(name);
      if (Number.isFinite(value)) gauge?.set({ ...labels }, value ?? 0);
      // Unknown values are absent rather than 0.
      else gauge?.remove({ ...labels });
    },
  };
}

const OUTCOMES: ReadonlySet<string> = new Set(["posted", "skipped", "superseded", "stopped", "missing"]);

function outcomeWord(line: string): string {
  const word = /^[a-z]+/.exec(line)?.[0] ?? "";
  return OUTCOMES.has(word) ? word : "other";
}

/** The same store, which reports searches, model requests and changed outcomes to `metrics`. */
export function countedStore(store: Store, metrics: Pick<Metrics, "retrieved" | "modelUsed" | "decided">): Store {
  const { retrievals, spending, evidence } = store;
  return {
    ...store,
    retrievals: {
      async write(entry) {
        metrics.retrieved(entry);
        await retrievals.write(entry);
      },
    },
    spending: {
      ...spending,
      record(repo, at, purpose, usage, held) {
        metrics.modelUsed(purpose, usage);
        return spending.record(repo, at, purpose, usage, held);
      },
    },
    evidence: {
      ...evidence,
      async decide(repo, decisions) {
        let all = 0;
        // One outcome at a time, because the store returns only how many changed.
        for (const [outcome, group] of Map.groupBy(decisions, (decision) => decision.outcome)) {
          const changed = await evidence.decide(repo, group);
          metrics.decided(outcome, changed);
          all += changed;
        }
        return all;
      },
    },
  };
}

type Fetch = ReturnType<typeof githubFetch>;

/** Tracks when GitHub last answered. A 5xx does not count: it may come from a proxy. */
export function answerClock(fetch: Fetch) {
  let answeredAt: number | null = null;
  return {
    async fetch(...request: Parameters<Fetch>): ReturnType<Fetch> {
      const response = await fetch(...request);
      if (response.status < 500) answeredAt = performance.now();
      return response;
    },
    sinceAnsweredMs: () => (answeredAt === null ? null : performance.now() - answeredAt),
  };
}
