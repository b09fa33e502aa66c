// Every metric of /metrics: registry, docs/metrics.md, and the checks of alerts and dashboard come
// from this list. Labels are GitHub's event names and our states, never names or text of people.

/** The unit ends the name: `_seconds`, `_bytes`, `_usd`, `_tokens`, `_ratio`; counts have none. */
export interface MetricEntry {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** Label → its possible values. */
  readonly labels: Labels;
  readonly help: string;
  /** Upper bounds, for histograms. */
  readonly buckets?: readonly number[];
}

type Labels = Readonly<Record<string, string>>;

const counter = <Name extends string>(name: Name, help: string, labels: Labels = {}) =>
  ({ name, type: "counter", help, labels }) as const;
const gauge = <Name extends string>(name: Name, help: string, labels: Labels = {}) =>
  ({ name, type: "gauge", help, labels }) as const;
const histogram = <Name extends string>(name: Name, help: string, buckets: readonly number[], labels: Labels = {}) =>
  ({ name, type: "histogram", help, labels, buckets }) as const;

/** GitHub's webhook timeout is ten seconds. */
const ACK = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** A stage with rules takes milliseconds, one with a model minutes. */
const WORK = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600];
/** A rule decides in less than 5 ms, a model in seconds. */
const GATE = [0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 2.5, 5, 10];
/** The alert fires at 1 s. */
const RETRIEVAL = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2.5, 5, 10];
const WAIT = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600];
const TENTHS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

const LANE = "`review`, `command` or `upkeep`";

export const METRICS = [
  gauge("kodiai_build_info", "Always 1; the version is in the label.", { version: "of Kodiai" }),
  counter("kodiai_deliveries_total", "Stored deliveries, by event and outcome.", {
    event: "GitHub's name of the event",
    outcome: "`review`, `command`, `upkeep`, `cancel`, `ignored`, `seen before`",
  }),
  counter("kodiai_answers_total", "Answers to deliveries, by status.", { status: "of the HTTP answer" }),
  histogram("kodiai_ack_seconds", "Seconds until an accepted delivery was answered.", ACK),
  gauge("kodiai_body_bytes", "Bytes of request bodies being received."),
  gauge("kodiai_ready", "1 when a delivery could be stored now."),
  gauge("kodiai_jobs", "Jobs in the queue, by state.", { state: "`waiting`, `running` or `parked`" }),
  gauge("kodiai_oldest_waiting_job_seconds", "Age of the oldest waiting job since its creation; 0 when none waits.", {
    lane: LANE,
  }),
  gauge(
    "kodiai_since_posted_review_seconds",
    "Seconds since any process on this store posted a review; absent before.",
  ),
  gauge(
    "kodiai_since_github_answer_seconds",
    "Seconds since GitHub answered this process with anything but 5xx; absent before.",
  ),
  counter("kodiai_job_ends_total", "Job runs that ended, by result.", {
    lane: LANE,
    state: "`done`, `retry`, `at-capacity` (a large change, requeued) or `parked`",
  }),
  counter("kodiai_worker_replacements_total", "Worker processes that ended and were replaced.", {
    cause: "`died`, or `overran` (a job took too long)",
  }),
  gauge("kodiai_worker_resident_memory_bytes", "Memory of the worker process; absent without one."),
  histogram("kodiai_job_duration_seconds", "How long one run of a job took.", WORK, { lane: LANE }),
  histogram("kodiai_queue_wait_seconds", "How long a job waited after it was due.", WAIT, { lane: LANE }),
  histogram("kodiai_stage_duration_seconds", "How long a stage of a review or an answer took.", WORK, {
    stage: "`gather`, `analyze`, `retrieve`, `review`, `publish` or `remember`",
  }),
  counter("kodiai_reviews_total", "Reviews that ended, by outcome.", {
    outcome: "`posted`, `skipped`, `superseded`, `stopped`, `missing` or `other`",
  }),
  gauge("kodiai_refused_installations", "Installations whose last review GitHub refused (401 or 403)."),
  counter("kodiai_findings_total", "Findings of posted reviews.", {
    place: "`inline`, `file`, `summary`, `already-posted` or `held-back`",
    severity: "`critical`, `major`, `medium` or `minor`",
    source: "`rule`, `tool`, `model` or `memory`",
  }),
  counter("kodiai_finding_outcomes_total", "Findings whose outcome changed, by the new one.", {
    outcome: "`posted`, `accepted`, `declined`, `fixed`, `outdated` or `reintroduced`",
  }),
  counter("kodiai_degradations_total", "Degraded parts of reviews and searches.", {
    part: "as in docs/operating.md, section Troubleshooting",
  }),
  counter("kodiai_model_questions_total", "Requests to a model, without repairs and retries.", {
    purpose: "`review`, `verify`, `rank`, `answer`, `memory`, `queries`, `rerank` or `gate`",
  }),
  counter("kodiai_model_tokens_total", "Tokens that a model read and wrote.", {
    purpose: "as above",
    direction: "`input` (cached or not), `cached` (of the input) or `output`",
  }),
  counter("kodiai_model_cost_usd_total", "Cost of requests to a model that has a price.", {
    purpose: "as above",
  }),
  histogram("kodiai_model_duration_seconds", "How long a request to a model took.", WORK, {
    purpose: "as above",
  }),
  histogram("kodiai_retrieval_duration_seconds", "How long searching memory took, without reranking.", RETRIEVAL, {
    origin: "`review`, `question`, `search` or `command-line`",
    method: "`semantic`, `keyword` or `hybrid`",
  }),
  counter("kodiai_gate_decisions_total", "Decisions whether to search memory.", {
    decision: "`search` or `skip`",
    rule: "which rule decided, or `model`, `cache`, `default`",
  }),
  histogram("kodiai_gate_duration_seconds", "How long such a decision took.", GATE, {
    decision: "`search` or `skip`",
  }),
  gauge("kodiai_gate_skip_ratio", "Share of skips among the latest 1,000 decisions."),
  gauge("kodiai_gate_fast_path_ratio", "Share of decisions without a model or a guess, likewise."),
  gauge(
    "kodiai_gate_accuracy_ratio",
    "Share of sampled skips in which a search would have found nothing, likewise; absent without a sample.",
  ),
  counter("kodiai_gate_saved_tokens_total", "Tokens of prompts that skips saved, by the average search."),
  counter("kodiai_gate_shadow_searches_total", "Skipped searches that ran as a sample.", {
    result: "`hit` (skipping would have lost a memory) or `nothing`",
  }),
  counter("kodiai_retrieved_memories_total", "Memories that searches returned."),
  histogram(
    "kodiai_retrieval_similarity_ratio",
    "Average cosine similarity of the memories that a search returned.",
    TENTHS,
  ),
  gauge("kodiai_retrieval_similarity_limit_ratio", "Average similarity under which searches find little."),
  counter("kodiai_embedded_texts_total", "Query texts sent to an embedding service.", {
    from: "`cache` or `service`",
  }),
  counter("kodiai_embedding_tokens_total", "Tokens of queries that an embedding service read."),
  counter("kodiai_retrieval_cost_usd_total", "Cost of searches.", {
    part: "`rerank`, or `search`: embedding and model requests",
  }),
  histogram("kodiai_rerank_duration_seconds", "How long reranking took.", RETRIEVAL, { result: "`done` or `failed`" }),
  gauge("kodiai_event_loop_lag_seconds", "Event loop lag, 99th percentile since the last scrape."),
  gauge("process_resident_memory_bytes", "Memory in use."),
  gauge("process_uptime_seconds", "Seconds since the start."),
] satisfies readonly MetricEntry[];

type Entry = (typeof METRICS)[number];
export type NameOf<Type extends MetricEntry["type"]> = Extract<Entry, { readonly type: Type }>["name"];
