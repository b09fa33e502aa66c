// Observes jobs: a span for each job and stage (if the operator preloads OpenTelemetry), metrics,
// and facts for the log. None of them contains text that people wrote.
import { type Attributes, type Span, SpanStatusCode, trace } from "@opentelemetry/api";
import { type RetrievalAlert, retrievalAlerts } from "../../domain/figures/retrieval-figures.ts";
import type { PullRequestContext } from "../../domain/pull-request.ts";
import type { Precedents } from "../../domain/retrieval.ts";
import type { PostedReview, Review } from "../../domain/review.ts";
import type { Stage } from "../../flows/review/review-ports.ts";
import type { RetrievalStatistics } from "../../ports/memory.ts";
import type { AnyJob, JobEnd, LaneName, Lease } from "../../ports.ts";
import type { AppOptions } from "../app-options.ts";
import type { Metrics } from "../metrics.ts";
import type { PullJob } from "../run-job.ts";
import { DAY_MS } from "./periodic-task.ts";

export type JobWatch = ReturnType<typeof jobWatch>;

interface Tally {
  started: number;
  readonly stages: Map<string, number>;
  readonly counts: Map<string, number>;
  gate: string | null;
  cost: Review["cost"] | null;
}

const TRACER = "kodiai";

type JobMetrics = Pick<Metrics, "waited" | "ended" | "stage" | "posted" | "degraded">;

/** @param onStep called with the value of each stage; the demo prints it */
export function jobWatch(metrics: JobMetrics, { log, onStep }: Pick<AppOptions, "log" | "onStep">) {
  const tallies = new WeakMap<AnyJob, Tally>();
  const tallyOf = (job: AnyJob): Tally => {
    const tally = tallies.get(job) ?? newTally();
    tallies.set(job, tally);
    return tally;
  };
  return {
    step:
      (job: AnyJob, step: Stage): Stage =>
      (stage, enter) =>
        inSpan(`kodiai.stage ${stage}`, { "kodiai.stage": stage }, async (span) => {
          const started = performance.now();
          const tally = tallyOf(job);
          try {
            const value = await step(stage, enter);
            const { counts, logged } = note(value, tally, metrics);
            for (const [name, count] of Object.entries(counts)) {
              tally.counts.set(name, count);
              span.setAttribute(`kodiai.${name}`, count);
            }
            const ms = Math.round(performance.now() - started);
            log.debug({ job: job.key, stage, ms, ...logged }, "stage");
            const trouble = troubleOf(stage, value);
            const what = stage === "review" ? "the review is incomplete" : "memory is degraded";
            if (trouble !== null) log.warn({ job: job.key, stage, ...trouble }, what);
            onStep?.(job as PullJob, stage, value, ms);
            return value;
          } finally {
            const ms = performance.now() - started;
            metrics.stage(stage, ms);
            tally.stages.set(stage, (tally.stages.get(stage) ?? 0) + Math.round(ms));
          }
        }),
    run<T>(lane: LaneName, lease: Lease<AnyJob>, work: () => Promise<T>): Promise<T> {
      const { job, attempt, waitedMs } = lease;
      tallies.set(job, newTally());
      metrics.waited(lane, waitedMs);
      const attributes = { "kodiai.lane": lane, "kodiai.job.key": job.key, "kodiai.job.attempt": attempt };
      return inSpan(`kodiai.job ${lane}`, attributes, work);
    },
    /**
     * Call it once for each end of a run.
     *
     * @returns for the log: milliseconds, counts, the gate's rule, and what a written review cost
     */
    ended(lane: LaneName, { job, waitedMs }: Lease<AnyJob>, end: JobEnd) {
      const { started, stages, counts, gate, cost } = tallyOf(job);
      const { inputTokens, outputTokens, usd } = cost ?? {};
      tallies.delete(job);
      const ms = performance.now() - started;
      metrics.ended(lane, end, ms);
      return {
        ms: Math.round(ms),
        waitedMs,
        stages: Object.fromEntries(stages),
        counts: Object.fromEntries(counts),
        ...(gate === null ? {} : { gate }),
        ...(cost === null ? {} : { cost: { inputTokens, outputTokens, usd } }),
      };
    },
  };
}

function newTally(): Tally {
  return { started: performance.now(), stages: new Map(), counts: new Map(), gate: null, cost: null };
}

/** Without OpenTelemetry it only runs the work. Of an error only the class: texts are untrusted. */
async function inSpan<T>(name: string, attributes: Attributes, work: (span: Span) => Promise<T>): Promise<T> {
  return trace.getTracer(TRACER).startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.setAttribute("error.type", error instanceof Error ? error.name : typeof error);
      throw error;
    } finally {
      span.end();
    }
  });
}

interface Noted {
  readonly counts: Readonly<Record<string, number>>;
  /** More for the log at level debug; never untrusted text. */
  readonly logged?: object;
}

/** Notes what a stage returned; degradations are counted where they first appear. */
function note(value: unknown, tally: Tally, metrics: JobMetrics): Noted {
  if (typeof value !== "object" || value === null || !("kind" in value)) return { counts: {} };
  const output = value as PullRequestContext | Precedents | Review | PostedReview;
  switch (output.kind) {
    case "context":
      return { counts: { files: output.files.length, leftOut: output.leftOut.length } };
    case "precedents": {
      const { ranked, gate, query, provenance, degraded } = output;
      const { totalCandidates: candidates, method } = provenance;
      const sent = query && { chars: query.text.length, dropped: query.dropped, variants: query.variants.length };
      tally.gate = gate.decidedBy;
      return {
        counts: { precedents: ranked.length, searches: query?.variants.length ?? 0 },
        logged: { gate, query: sent, candidates, used: ranked.length, method, degraded },
      };
    }
    case "review": {
      const { findings, heldBack, degraded, cost } = output;
      tally.cost = cost;
      // Includes the degradations of the stages before it.
      metrics.degraded(degraded);
      return { counts: { findings: findings.length, heldBack: heldBack.length, degraded: degraded.length } };
    }
    case "posted":
      tally.cost = output.review.cost;
      metrics.posted(output);
      return { counts: { inline: output.findings.filter(({ place }) => place === "inline").length } };
    default:
      return { counts: {} };
  }
}

/** What a stage could not do, for one warning. An unposted review's footer shows it too. */
function troubleOf(stage: string, value: unknown): object | null {
  if (!WARNED.has(stage) || typeof value !== "object" || value === null) return null;
  if ("reason" in value) return { reason: value.reason };
  const { degraded, refused } = { degraded: [], refused: [], ...value } as Record<string, readonly unknown[]>;
  return degraded?.length === 0 && refused?.length === 0 ? null : { degraded, refused };
}

const WARNED: ReadonlySet<string> = new Set(["retrieve", "remember", "review"]);

/**
 * Warns the operator when retrieval becomes slow, expensive or poor: with all alerts of the last
 * day, once per change. Called after each review; never rejects: unreadable figures raise no alert.
 */
export function retrievalWatch(
  statistics: RetrievalStatistics,
  warn: (alerts: readonly RetrievalAlert[]) => void,
): () => Promise<void> {
  let last = "";
  return async () => {
    const figures = await statistics.read({ ms: DAY_MS, repo: null }).catch(() => null);
    if (figures === null) return;
    const alerts = retrievalAlerts(figures);
    const names = alerts.map(({ name }) => name).join();
    if (names !== last && alerts.length > 0) warn(alerts);
    last = names;
  };
}
