// Every metric of /metrics: the registry, docs/metrics.md, and the checks of alerts and dashboard are made from this list. Labels
// are GitHub's event names and our states, never names of repositories or people, nor text that people wrote.

export interface MetricEntry {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** Null for plain counts, such as jobs. */
  readonly unit: "seconds" | "bytes" | "usd" | "tokens" | "ratio" | null;
  /** Label → its possible values. */
  readonly labels: Readonly<Record<string, string>>;
  readonly help: string;
  /** Upper bounds, for histograms. */
  readonly buckets?: readonly number[];
}

/** GitHub's webhook timeout is ten seconds. */
const ACK = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** A stage with rules takes milliseconds, one with a model minutes. */
const WORK = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600];
/** The alert fires at 1 s. */
const RETRIEVAL = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2.5, 5, 10];
const WAIT = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600];
const TENTHS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

const LANE = "`review`, `command` or `upkeep`";

export const METRICS = [
  {
    name: "kodiai_build_info",
    type: "gauge",
    unit: null,
    labels: { version: "of Kodiai" },
    help: "Always 1; the version is in the label.",
  },
  {
    name: "kodiai_deliveries_total",
    type: "counter",
    unit: null,
    labels: {
      event: "GitHub's name of the event",
      outcome: "`review`, `command`, `upkeep`, `cancel`, `ignored`, `seen before`",
    },
    help: "Stored deliveries, by event and outcome.",
  },
  {
    name: "kodiai_answers_total",
    type: "counter",
    unit: null,
    labels: { status: "of the HTTP answer" },
    help: "Answers to deliveries, by status.",
  },
  {
    name: "kodiai_ack_seconds",
    type: "histogram",
    unit: "seconds",
    labels: {},
    help: "Seconds until an accepted delivery was answered.",
    buckets: ACK,
  },
  {
    name: "kodiai_body_bytes",
    type: "gauge",
    unit: "bytes",
    labels: {},
    help: "Bytes of request bodies being received.",
  },
  { name: "kodiai_ready", type: "gauge", unit: null, labels: {}, help: "1 when a delivery could be stored now." },
  {
    name: "kodiai_jobs",
    type: "gauge",
    unit: null,
    labels: { state: "`waiting`, `running` or `parked`" },
    help: "Jobs in the queue, by state.",
  },
  {
    name: "kodiai_oldest_waiting_job_seconds",
    type: "gauge",
    unit: "seconds",
    labels: { lane: LANE },
    help: "Age of the oldest waiting job since its creation, including retries; 0 when none waits.",
  },
  {
    name: "kodiai_since_posted_review_seconds",
    type: "gauge",
    unit: "seconds",
    labels: {},
    help: "Seconds since a review was last posted, by any process on this store; absent before the first one.",
  },
  {
    name: "kodiai_since_github_answer_seconds",
    type: "gauge",
    unit: "seconds",
    labels: {},
    help: "Seconds since GitHub last answered a request of this process with anything but 5xx; absent before the first answer.",
  },
  {
    name: "kodiai_job_ends_total",
    type: "counter",
    unit: null,
    labels: { lane: LANE, state: "`done`, `retry`, `no-room` (a large change that was requeued) or `parked`" },
    help: "Job runs that ended, by result.",
  },
  {
    name: "kodiai_job_duration_seconds",
    type: "histogram",
    unit: "seconds",
    labels: { lane: LANE },
    help: "How long one run of a job took.",
    buckets: WORK,
  },
  {
    name: "kodiai_queue_wait_seconds",
    type: "histogram",
    unit: "seconds",
    labels: { lane: LANE },
    help: "How long a job waited after it was due.",
    buckets: WAIT,
  },
  {
    name: "kodiai_room_duration_seconds",
    type: "histogram",
    unit: "seconds",
    labels: { room: "`gather`, `analyze`, `vet`, `retrieve`, `review`, `publish` or `remember`" },
    help: "How long each stage of a review or an answer took.",
    buckets: WORK,
  },
  {
    name: "kodiai_reviews_total",
    type: "counter",
    unit: null,
    labels: { outcome: "`posted`, `skipped`, `superseded`, `stopped`, `gone` or `other`" },
    help: "Reviews that ended, by outcome.",
  },
  {
    name: "kodiai_refused_installations",
    type: "gauge",
    unit: null,
    labels: {},
    help: "Installations whose last review ended because GitHub refused it (401 or 403).",
  },
  {
    name: "kodiai_findings_total",
    type: "counter",
    unit: null,
    labels: {
      place: "`inline`, `file`, `summary`, `already-posted` or `held-back`",
      severity: "`critical`, `major`, `medium` or `minor`",
      source: "`rule`, `model` or `memory`",
    },
    help: "Findings of posted reviews, by place, or that they were held back.",
  },
  {
    name: "kodiai_finding_outcomes_total",
    type: "counter",
    unit: null,
    labels: { outcome: "`posted`, `accepted`, `declined`, `fixed`, `outdated` or `reintroduced`" },
    help: "Changes of findings' outcomes by people's feedback, by the new outcome.",
  },
  {
    name: "kodiai_degradations_total",
    type: "counter",
    unit: null,
    labels: { part: "as in docs/operating.md, section Troubleshooting" },
    help: "Degraded parts of reviews and searches.",
  },
  {
    name: "kodiai_model_questions_total",
    type: "counter",
    unit: null,
    labels: { purpose: "`review`, `verify`, `answer`, `memory`, `queries`, `rerank` or `gate`" },
    help: "Requests to a language model; repairs and retries within one count once.",
  },
  {
    name: "kodiai_model_tokens_total",
    type: "counter",
    unit: "tokens",
    labels: { purpose: "as above", direction: "`input` (cached or not), `cached` (of the input) or `output`" },
    help: "Tokens that a language model read and wrote.",
  },
  {
    name: "kodiai_model_cost_usd_total",
    type: "counter",
    unit: "usd",
    labels: { purpose: "as above" },
    help: "Cost of requests to a language model that has a price.",
  },
  {
    name: "kodiai_model_duration_seconds",
    type: "histogram",
    unit: "seconds",
    labels: { purpose: "as above" },
    help: "How long a request to a language model took.",
    buckets: WORK,
  },
  {
    name: "kodiai_retrieval_duration_seconds",
    type: "histogram",
    unit: "seconds",
    labels: { origin: "`review`, `question`, `search` or `command-line`", method: "`semantic`, `keyword` or `hybrid`" },
    help: "How long searching memory took, reranking not included.",
    buckets: RETRIEVAL,
  },
  {
    name: "kodiai_gate_decisions_total",
    type: "counter",
    unit: null,
    labels: { decision: "`search` or `skip`", rule: "which rule decided, or `model`, `cache`, `default`" },
    help: "Decisions whether to search memory.",
  },
  {
    name: "kodiai_gate_shadow_searches_total",
    type: "counter",
    unit: null,
    labels: { result: "`hit`: skipping would have lost a memory; `nothing`: it would not" },
    help: "Skipped searches that ran as a sample, to measure what skipping loses.",
  },
  {
    name: "kodiai_retrieved_memories_total",
    type: "counter",
    unit: null,
    labels: {},
    help: "Memories that searches returned.",
  },
  {
    name: "kodiai_retrieval_similarity_ratio",
    type: "histogram",
    unit: "ratio",
    labels: {},
    help: "Average cosine similarity of the memories that a search returned.",
    buckets: TENTHS,
  },
  {
    name: "kodiai_retrieval_similarity_limit_ratio",
    type: "gauge",
    unit: "ratio",
    labels: {},
    help: "Average similarity under which searches find little: .6 for an embedder that calls a distance of .3 relevant.",
  },
  {
    name: "kodiai_embedded_texts_total",
    type: "counter",
    unit: null,
    labels: { from: "`cache` or `service`" },
    help: "Query texts sent to an embedder; the keyless one is not counted.",
  },
  {
    name: "kodiai_embedding_tokens_total",
    type: "counter",
    unit: "tokens",
    labels: {},
    help: "Tokens of queries that an embedding service read.",
  },
  {
    name: "kodiai_retrieval_cost_usd_total",
    type: "counter",
    unit: "usd",
    labels: {},
    help: "Cost of searches: embedding, reranking and model requests together.",
  },
  {
    name: "kodiai_rerank_duration_seconds",
    type: "histogram",
    unit: "seconds",
    labels: { result: "`done` or `failed`" },
    help: "How long reranking took.",
    buckets: RETRIEVAL,
  },
  {
    name: "kodiai_event_loop_lag_seconds",
    type: "gauge",
    unit: "seconds",
    labels: {},
    help: "Event loop lag, 99th percentile since the last scrape.",
  },
  { name: "process_resident_memory_bytes", type: "gauge", unit: "bytes", labels: {}, help: "Memory in use." },
  { name: "process_uptime_seconds", type: "gauge", unit: "seconds", labels: {}, help: "Seconds since the start." },
] as const satisfies readonly MetricEntry[];

type Entry = (typeof METRICS)[number];
/** The names of one type of metric. */
export type NameOf<Type extends MetricEntry["type"]> = Extract<Entry, { readonly type: Type }>["name"];
