// deploy/grafana/kodiai.json: the dashboard, from a short list of rows and panels.

interface Panel {
  readonly title: string;
  readonly unit: "s" | "short" | "bytes" | "percentunit" | "currencyUSD" | "reqps";
  readonly says: string;
  /** Legend → PromQL. */
  readonly queries: Readonly<Record<string, string>>;
}

const quantile = (q: number, name: string, by = "") =>
  `histogram_quantile(${q}, sum by (le${by === "" ? "" : `, ${by}`}) (rate(${name}_bucket[$__rate_interval])))`;
const quantiles = (name: string) => ({
  P50: quantile(0.5, name),
  P95: quantile(0.95, name),
  P99: quantile(0.99, name),
});
const increase = (name: string, by: string) => `sum by (${by}) (increase(${name}[$__rate_interval]))`;

const ROWS: Readonly<Record<string, readonly Panel[]>> = {
  "Reviews and findings": [
    {
      title: "Reviews by outcome",
      unit: "short",
      says: "Posted, skipped, overtaken by a newer push, stopped.",
      queries: { "{{outcome}}": increase("kodiai_reviews_total", "outcome") },
    },
    {
      title: "Installations that GitHub refuses",
      unit: "short",
      says: "Their last review ended with 401 or 403: a permission is missing, or the key is not taken.",
      queries: { refused: "max(kodiai_refused_installations)" },
    },
    {
      title: "Findings by place",
      unit: "short",
      says: "Where findings were said; held back ones were said nowhere.",
      queries: { "{{place}}": increase("kodiai_findings_total", "place") },
    },
    {
      title: "Findings by severity",
      unit: "short",
      says: "Those that were said.",
      queries: {
        "{{severity}}": 'sum by (severity) (increase(kodiai_findings_total{place!="held-back"}[$__rate_interval]))',
      },
    },
    {
      title: "What became of findings",
      unit: "short",
      says: "Outcomes that changed by what people did.",
      queries: { "{{outcome}}": increase("kodiai_finding_outcomes_total", "outcome") },
    },
    {
      title: "Time by stage (P95)",
      unit: "s",
      says: "How a review's time is divided among its stages.",
      queries: { "{{stage}}": quantile(0.95, "kodiai_stage_duration_seconds", "stage") },
    },
    {
      title: "Degraded parts",
      unit: "short",
      says: "docs/operating.md#a-part-of-memory-is-degraded says what each means.",
      queries: { "{{part}}": increase("kodiai_degradations_total", "part") },
    },
  ],
  "Queue and webhook": [
    { title: "Jobs", unit: "short", says: "By state.", queries: { "{{state}}": "sum by (state) (kodiai_jobs)" } },
    {
      title: "Wait in the queue (P95)",
      unit: "s",
      says: "After the moment from which a job could run.",
      queries: { "{{lane}}": quantile(0.95, "kodiai_queue_wait_seconds", "lane") },
    },
    {
      title: "Oldest waiting job",
      unit: "s",
      says: "Since it was created, by lane; the alert about reviews that have stopped looks at it.",
      queries: { "{{lane}}": "max by (lane) (kodiai_oldest_waiting_job_seconds)" },
    },
    {
      title: "Since the last sign of life",
      unit: "s",
      says: "Since a review was posted, and since GitHub answered with anything but 5xx.",
      queries: {
        "review posted": "min(kodiai_since_posted_review_seconds)",
        "GitHub answered": "min(kodiai_since_github_answer_seconds)",
      },
    },
    {
      title: "Runs of jobs",
      unit: "short",
      says: "By lane and how they ended.",
      queries: { "{{lane}} {{state}}": increase("kodiai_job_ends_total", "lane, state") },
    },
    {
      title: "Duration of jobs (P95)",
      unit: "s",
      says: "One run, by lane.",
      queries: { "{{lane}}": quantile(0.95, "kodiai_job_duration_seconds", "lane") },
    },
    {
      title: "Answers to deliveries",
      unit: "reqps",
      says: "By status; 503 asks GitHub to keep it for us.",
      queries: { "{{status}}": "sum by (status) (rate(kodiai_answers_total[$__rate_interval]))" },
    },
    {
      title: "Deliveries",
      unit: "short",
      says: "What they became.",
      queries: { "{{outcome}}": increase("kodiai_deliveries_total", "outcome") },
    },
    {
      title: "Time to answer a delivery",
      unit: "s",
      says: "GitHub gives up after 10 s.",
      queries: quantiles("kodiai_ack_seconds"),
    },
  ],
  "Memory and the gate": [
    {
      title: "Search time",
      unit: "s",
      says: "Without reranking; the alert fires at a P95 of 1 s.",
      queries: quantiles("kodiai_retrieval_duration_seconds"),
    },
    {
      title: "Decisions of the gate",
      unit: "short",
      says: "Search or skip, by rule.",
      queries: { "{{decision}} {{rule}}": increase("kodiai_gate_decisions_total", "decision, rule") },
    },
    {
      title: "What skipping would have lost",
      unit: "short",
      says: "Skips that were searched all the same.",
      queries: { "{{result}}": increase("kodiai_gate_shadow_searches_total", "result") },
    },
    {
      title: "Time of the gate",
      unit: "s",
      says: "Until it is decided whether to search; a model is asked only where the configuration says so.",
      queries: quantiles("kodiai_gate_duration_seconds"),
    },
    {
      title: "Shares of the gate's decisions",
      unit: "percentunit",
      says: "Of the latest 1,000: skipped, decided by a rule at once, rightly skipped.",
      queries: {
        skipped: "max(kodiai_gate_skip_ratio)",
        "at once": "max(kodiai_gate_fast_path_ratio)",
        "rightly skipped": "max(kodiai_gate_accuracy_ratio)",
      },
    },
    {
      title: "Tokens that skips saved",
      unit: "short",
      says: "Of prompts, had memory been searched.",
      queries: { tokens: "sum(increase(kodiai_gate_saved_tokens_total[$__rate_interval]))" },
    },
    {
      title: "Memories a search",
      unit: "short",
      says: "Handed on, on average.",
      queries: {
        memories:
          "sum(rate(kodiai_retrieved_memories_total[$__rate_interval])) / sum(rate(kodiai_retrieval_duration_seconds_count[$__rate_interval]))",
      },
    },
    {
      title: "Similarity of what is found",
      unit: "percentunit",
      says: "On average, and the limit under which searches find little.",
      queries: {
        average:
          "sum(rate(kodiai_retrieval_similarity_ratio_sum[$__rate_interval])) / sum(rate(kodiai_retrieval_similarity_ratio_count[$__rate_interval]))",
        limit: "max(kodiai_retrieval_similarity_limit_ratio)",
      },
    },
    {
      title: "Embedding cache",
      unit: "percentunit",
      says: "Share of query texts that the cache answered.",
      queries: {
        hits: 'sum(rate(kodiai_embedded_texts_total{from="cache"}[$__rate_interval])) / sum(rate(kodiai_embedded_texts_total[$__rate_interval]))',
      },
    },
    {
      title: "Reranking (P95)",
      unit: "s",
      says: "And how many of them failed.",
      queries: { "{{result}}": quantile(0.95, "kodiai_rerank_duration_seconds", "result") },
    },
  ],
  "Model and money": [
    {
      title: "Tokens",
      unit: "short",
      says: "Read, read from the cache, and written.",
      queries: { "{{direction}}": increase("kodiai_model_tokens_total", "direction") },
    },
    {
      title: "Cost of the model",
      unit: "currencyUSD",
      says: "By purpose.",
      queries: { "{{purpose}}": increase("kodiai_model_cost_usd_total", "purpose") },
    },
    {
      title: "Questions to the model",
      unit: "short",
      says: "By purpose.",
      queries: { "{{purpose}}": increase("kodiai_model_questions_total", "purpose") },
    },
    {
      title: "Time of the model (P95)",
      unit: "s",
      says: "By purpose.",
      queries: { "{{purpose}}": quantile(0.95, "kodiai_model_duration_seconds", "purpose") },
    },
    {
      title: "Cost of searches",
      unit: "currencyUSD",
      says: "Embedding, reranking and questions about the search.",
      queries: { cost: "sum(increase(kodiai_retrieval_cost_usd_total[$__rate_interval]))" },
    },
    {
      title: "Tokens embedded",
      unit: "short",
      says: "By a service; the keyless embedder reads none.",
      queries: { tokens: "sum(increase(kodiai_embedding_tokens_total[$__rate_interval]))" },
    },
  ],
  Process: [
    {
      title: "Ready",
      unit: "short",
      says: "1 when a delivery could be kept.",
      queries: { ready: "min(kodiai_ready)" },
    },
    {
      title: "Memory",
      unit: "bytes",
      says: "Resident.",
      queries: {
        server: "max(process_resident_memory_bytes)",
        worker: "max(kodiai_worker_resident_memory_bytes)",
      },
    },
    {
      title: "Workers replaced",
      unit: "short",
      says: "Worker processes that ended, by cause.",
      queries: { "{{cause}}": increase("kodiai_worker_replacements_total", "cause") },
    },
    { title: "Bodies coming in", unit: "bytes", says: "Deliveries.", queries: { bodies: "max(kodiai_body_bytes)" } },
    {
      title: "Event loop",
      unit: "s",
      says: "How late, 99th percentile.",
      queries: { late: "max(kodiai_event_loop_lag_seconds)" },
    },
    { title: "Up for", unit: "s", says: "Since the start.", queries: { uptime: "min(process_uptime_seconds)" } },
    {
      title: "Version",
      unit: "short",
      says: "Processes by version.",
      queries: { "{{version}}": "count by (version) (kodiai_build_info)" },
    },
  ],
};

const WIDTH = 8;
const HEIGHT = 8;
const COLUMNS = 24 / WIDTH;
const SOURCE = { type: "prometheus", uid: "$source" };

/** As Grafana imports it. */
export function grafanaDashboard(): string {
  let y = 0;
  let id = 0;
  const panels: object[] = [];
  for (const [title, row] of Object.entries(ROWS)) {
    id += 1;
    panels.push({ id, type: "row", title, collapsed: false, gridPos: { x: 0, y, w: 24, h: 1 }, panels: [] });
    y += 1;
    row.forEach((panel, at) => {
      id += 1;
      const x = (at % COLUMNS) * WIDTH;
      panels.push({
        id,
        ...drawn(panel),
        gridPos: { x, y: y + Math.floor(at / COLUMNS) * HEIGHT, w: WIDTH, h: HEIGHT },
      });
    });
    y += Math.ceil(row.length / COLUMNS) * HEIGHT;
  }
  const variable = { name: "source", label: "Prometheus", type: "datasource", query: "prometheus" };
  const board = {
    uid: "kodiai",
    title: "Kodiai",
    description: "Reviews, memory, queue and cost of Kodiai. Made by `npm run generate`.",
    tags: ["kodiai"],
    schemaVersion: 39,
    editable: true,
    time: { from: "now-24h", to: "now" },
    refresh: "1m",
    templating: { list: [variable] },
    panels,
  };
  return `${JSON.stringify(board, null, 2)}\n`;
}

function drawn({ title, unit, says, queries }: Panel): object {
  const targets = Object.entries(queries).map(([legend, expr], at) => ({
    refId: String.fromCharCode(65 + at),
    datasource: SOURCE,
    expr,
    legendFormat: legend,
  }));
  const fieldConfig = { defaults: { unit, min: 0 }, overrides: [] };
  return { type: "timeseries", title, description: says, datasource: SOURCE, fieldConfig, targets };
}
