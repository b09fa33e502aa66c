// The figures of a server in Prometheus' format, and what of a job is seen from outside.
import { type Context, context, ROOT_CONTEXT, type Span, trace } from "@opentelemetry/api";
import { pino } from "pino";
import { afterEach, expect, test } from "vitest";
import type { AnyJob, Lease } from "../../src/ports.ts";
import { METRICS, type MetricEntry } from "../../src/server/metric-list.ts";
import { appMetrics, countedStore, type Metrics } from "../../src/server/metrics.ts";
import { jobWatch } from "../../src/server/sweeps/job-watch.ts";
import type { Store } from "../../src/wire/store.ts";
import { anEntry } from "../adapters/contracts/retrieval-log.ts";
import { sampleReview } from "../publish/sample-review.ts";

const USAGE = { inputTokens: 900, cachedTokens: 300, outputTokens: 40, usd: 0.002, ms: 1_500, requests: 1 };

/** Sample → value. */
async function samples(metrics: Metrics): Promise<ReadonlyMap<string, number>> {
  const lines = (await metrics.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  );
}

test("every metric of the list is exposed, with HELP and TYPE, in a form that parses", async () => {
  const text = await appMetrics("1.2.3").text();
  for (const { name, type, help } of METRICS) {
    expect(text).toContain(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`);
  }
  const shape =
    /^(?:|# (?:HELP|TYPE) \w+ .+|\w+(?:\{\w+="(?:[^"\\\n]|\\.)*"(?:,\w+="(?:[^"\\\n]|\\.)*")*\})? [\d.e+-]+)$/;
  expect(text.split("\n").filter((line) => !shape.test(line))).toEqual([]);
  expect(text).toContain('kodiai_build_info{version="1.2.3"} 1\n');
});

test("what happens is counted where the list says [000-33]", async () => {
  const metrics = appMetrics("0");
  metrics.answered(202, 30);
  metrics.answered(503, 5_000);
  metrics.took("pull_request", "review");
  metrics.waited("review", 4_000);
  metrics.ended("review", { state: "done", outcome: "posted https://github.com/acme/shop/pull/1" }, 900);
  metrics.ended("review", { state: "done", outcome: "constructor: x" }, 900);
  metrics.ended("upkeep", { state: "retry", inMs: 0, reason: "" }, 10);
  metrics.modelUsed("review", USAGE);
  metrics.modelUsed("verify", { ...USAGE, usd: null });
  metrics.decided("accepted", 2);
  metrics.degraded([{ part: "embedder" }, { part: "embedder" }]);
  metrics.set("kodiai_jobs", { state: "waiting" }, 2);
  const found = await samples(metrics);
  expect(Object.fromEntries(found)).toMatchObject({
    'kodiai_answers_total{status="202"}': 1,
    'kodiai_answers_total{status="503"}': 1,
    kodiai_ack_seconds_count: 1,
    'kodiai_ack_seconds_bucket{le="0.025"}': 0,
    'kodiai_ack_seconds_bucket{le="0.05"}': 1,
    'kodiai_deliveries_total{event="pull_request",outcome="review"}': 1,
    'kodiai_queue_wait_seconds_sum{lane="review"}': 4,
    'kodiai_reviews_total{outcome="posted"}': 1,
    'kodiai_reviews_total{outcome="other"}': 1,
    'kodiai_job_ends_total{lane="upkeep",state="retry"}': 1,
    'kodiai_model_tokens_total{purpose="review",direction="input"}': 900,
    'kodiai_model_tokens_total{purpose="review",direction="cached"}': 300,
    'kodiai_model_cost_usd_total{purpose="review"}': 0.002,
    'kodiai_model_cost_usd_total{purpose="verify"}': 0,
    'kodiai_finding_outcomes_total{outcome="accepted"}': 2,
    'kodiai_degradations_total{part="embedder"}': 2,
    'kodiai_jobs{state="waiting"}': 2,
  });
});

test("a search is counted with its time, what it found, what it cost and what the gate decided [001-26][003-43]", async () => {
  const metrics = appMetrics("0");
  const embedding = { texts: 4, cached: 3, tokens: 120, usd: 0.0001 };
  metrics.retrieved(
    anEntry({
      retrievalMs: 1_200,
      embedding,
      usd: 0.0004,
      averageDistance: 0.3,
      calibrated: 0.3,
      ids: ["mem_1", "mem_2"],
    }),
  );
  const skipped = { retrieve: false, decidedBy: "lock-files", ms: 2, confidence: 0.99, shadow: false, shadowHits: 0 };
  metrics.retrieved(anEntry({ searched: false, gate: skipped }));
  metrics.retrieved(anEntry({ gate: { ...skipped, shadow: true, shadowHits: 1 } }));
  const found = Object.fromEntries(await samples(metrics));
  expect(found).toMatchObject({
    'kodiai_gate_decisions_total{decision="skip",rule="lock-files"}': 2,
    'kodiai_gate_shadow_searches_total{result="hit"}': 1,
    'kodiai_gate_duration_seconds_bucket{le="0.0025",decision="skip"}': 2,
    'kodiai_gate_duration_seconds_count{decision="search"}': 1,
    kodiai_gate_saved_tokens_total: 80,
    kodiai_gate_skip_ratio: 2 / 3,
    kodiai_gate_fast_path_ratio: 1,
    kodiai_gate_accuracy_ratio: 0,
    'kodiai_embedded_texts_total{from="cache"}': expect.any(Number),
    kodiai_retrieval_similarity_limit_ratio: expect.any(Number),
  });
  expect(found.kodiai_embedding_tokens_total).toBeGreaterThanOrEqual(120);
  expect(found['kodiai_retrieval_cost_usd_total{part="search"}']).toBeGreaterThanOrEqual(0.0004);
  const slow = [...(await samples(metrics))].filter(([name]) =>
    name.startsWith("kodiai_retrieval_duration_seconds_count"),
  );
  expect(slow.reduce((sum, [, count]) => sum + count, 0)).toBe(2);
});

test("labels from outside are distinguished up to a bound", async () => {
  const metrics = appMetrics("0");
  for (let n = 0; n < 2_000; n += 1) metrics.took(`event ${n} "\n\\{}`, "ignored");
  metrics.took("__proto__", "ignored");
  const found = await samples(metrics);
  const kinds = [...found.keys()].filter((name) => /^kodiai_deliveries_total.*outcome="ignored"/.test(name));
  expect(kinds.length).toBe(501);
  expect(found.get('kodiai_deliveries_total{event="other",outcome="ignored"}')).toBe(1_501);
});

test("no label of the list can hold text of others [T30]", () => {
  const labels = new Set(METRICS.flatMap((entry: MetricEntry) => Object.keys(entry.labels)));
  for (const forbidden of ["repo", "repository", "owner", "login", "path", "title", "query", "user", "url", "job"])
    expect(labels).not.toContain(forbidden);
});

test("the store's books count on the way, and say what they said before", async () => {
  const metrics = appMetrics("0");
  const written: unknown[] = [];
  const decide = async (_repo: string, decisions: readonly { readonly outcome: string }[]) =>
    decisions.filter(({ outcome }) => outcome === "fixed").length;
  const plain = {
    retrievals: { write: async (entry: unknown) => void written.push(entry) },
    spending: { record: () => void written.push("spent"), usage: () => 3 },
    evidence: { decide },
  } as unknown as Store;
  const store = countedStore(plain, metrics);
  await store.retrievals.write(anEntry({}));
  await store.spending.record({ host: "github.com", id: 1 }, 0, "review", USAGE);
  const decided = [{ outcome: "fixed" }, { outcome: "accepted" }, { outcome: "fixed" }];
  expect(await store.evidence.decide("r", decided as unknown as Parameters<typeof store.evidence.decide>[1])).toBe(2);
  expect(written).toHaveLength(2);
  expect(store.spending.usage(null, 0)).toBe(3);
  const found = await samples(metrics);
  expect(found.get('kodiai_finding_outcomes_total{outcome="fixed"}')).toBe(2);
  expect(found.get('kodiai_model_questions_total{purpose="review"}')).toBe(1);
});

const SILENT = { log: pino({ level: "silent" }) };
const job = { kind: "review", key: "github.com/1#7" } as unknown as AnyJob;
const lease: Lease<AnyJob> = { id: 1, job, attempt: 2, overruns: 0, token: 3, waitedMs: 250 };
const pass = <T>(_room: string, enter: () => T | Promise<T>): Promise<T> => Promise.resolve(enter());

test("the line of a job has its stages, counts, gate and cost, and none of its words", async () => {
  const metrics = appMetrics("0");
  const watch = jobWatch(metrics, SILENT);
  const review = sampleReview();
  await watch.run("review", lease, async () => {
    const step = watch.step(job, pass);
    await step("gather", () => ({ kind: "context", files: [1, 2], leftOut: [3] }));
    await step("retrieve", () => ({
      kind: "precedents",
      ranked: [1],
      gate: { decidedBy: "few-files" },
      query: null,
      provenance: {},
    }));
    await step("review", () => review);
    await step("publish", () => ({ kind: "posted", review, findings: review.findings }));
  });
  const facts = watch.ended("review", lease, { state: "done", outcome: "posted x" });
  expect(facts).toMatchObject({
    waitedMs: 250,
    stages: { gather: expect.any(Number), retrieve: expect.any(Number), review: expect.any(Number) },
    counts: { files: 2, leftOut: 1, precedents: 1, findings: review.findings.length, heldBack: review.heldBack.length },
    gate: "few-files",
    cost: { inputTokens: review.cost.inputTokens, outputTokens: review.cost.outputTokens },
  });
  const [first] = review.findings;
  expect(JSON.stringify(facts)).not.toContain(first?.finding.title ?? "none");
  const found = await samples(metrics);
  const said = [...found].filter(([name]) => name.startsWith("kodiai_findings_total"));
  expect(said.reduce((sum, [, count]) => sum + count, 0)).toBe(review.findings.length + review.heldBack.length);
  expect(found.get('kodiai_queue_wait_seconds_count{lane="review"}')).toBe(1);
  expect(found.get('kodiai_stage_duration_seconds_count{stage="publish"}')).toBe(1);
});

test("a superseded or unwatched job has facts too", () => {
  const facts = jobWatch(appMetrics("0"), SILENT).ended(
    "upkeep",
    { id: 1, job, attempt: 1, overruns: 0, token: 1, waitedMs: 4 },
    { state: "parked", reason: "" },
  );
  expect(facts).toMatchObject({ stages: {}, counts: {}, waitedMs: 4 });
});

interface Recorded {
  readonly name: string;
  readonly parent: string | null;
  readonly attributes: Record<string, unknown>;
  status: number;
}

/** As much of an OpenTelemetry SDK as keeps spans. */
function recordSpans(): readonly Recorded[] {
  const spans: Recorded[] = [];
  const names = new WeakMap<Span, string>();
  const stack: Context[] = [ROOT_CONTEXT];
  context.setGlobalContextManager({
    active: () => stack.at(-1) ?? ROOT_CONTEXT,
    with(at, work, self, ...rest) {
      stack.push(at);
      const leave = () => void stack.pop();
      const result = work.call(self as never, ...rest);
      if (result instanceof Promise) result.then(leave, leave);
      else leave();
      return result;
    },
    bind: (_at, target) => target,
    enable: () => context as never,
    disable: () => context as never,
  });
  const startSpan = (
    name: string,
    options: { attributes?: Record<string, unknown> } = {},
    at = context.active(),
  ): Span => {
    const parent = trace.getSpan(at);
    const one: Recorded = {
      name,
      parent: parent === undefined ? null : (names.get(parent) ?? null),
      attributes: { ...options.attributes },
      status: 0,
    };
    spans.push(one);
    const span = {
      setAttribute(key: string, value: unknown) {
        one.attributes[key] = value;
      },
      setStatus({ code }: { code: number }) {
        one.status = code;
      },
      end: () => undefined,
    } as unknown as Span;
    names.set(span, name);
    return span;
  };
  const tracer = {
    startSpan,
    startActiveSpan: (name: string, options: object, work: (span: Span) => unknown) => {
      const span = startSpan(name, options);
      return context.with(trace.setSpan(context.active(), span), () => work(span));
    },
  };
  trace.setGlobalTracerProvider({ getTracer: () => tracer as never });
  return spans;
}

afterEach(() => {
  trace.disable();
  context.disable();
});

test("with an SDK there is a span for the job and one for each stage in it, with numbers and classes of errors", async () => {
  const spans = recordSpans();
  const watch = jobWatch(appMetrics("0"), SILENT);
  const work = watch.run("review", lease, async () => {
    const step = watch.step(job, pass);
    await step("review", () => sampleReview());
    await step("publish", () => {
      throw new TypeError("the secret words of somebody");
    });
  });
  await expect(work).rejects.toThrow(TypeError);
  expect(spans.map(({ name, parent, status }) => [name, parent, status])).toEqual([
    ["kodiai.job review", null, 2],
    ["kodiai.stage review", "kodiai.job review", 0],
    ["kodiai.stage publish", "kodiai.job review", 2],
  ]);
  expect(spans[0]?.attributes).toMatchObject({
    "kodiai.job.key": "github.com/1#7",
    "kodiai.job.attempt": 2,
    "error.type": "TypeError",
  });
  expect(spans[1]?.attributes).toMatchObject({ "kodiai.findings": expect.any(Number) });
  expect(JSON.stringify(spans)).not.toMatch(/secret words/);
});
