// What is seen of a job from outside: a span for it and for each room (where the operator preloads OpenTelemetry), figures for
// /metrics, and the facts of its one line in the log. None of them holds anything that anybody wrote.
import { type Attributes, type Span, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Degraded } from "../domain/omissions.ts";
import type { PullRequestContext } from "../domain/pull-request.ts";
import type { Precedents } from "../domain/retrieval.ts";
import type { PostedReview, Review } from "../domain/review.ts";
import type { Stage } from "../flows/review/review-ports.ts";
import type { AnyJob, JobEnd, Lease } from "../ports.ts";
import type { LaneName, Metrics } from "./metrics.ts";

/** For the line of a job: milliseconds, counts and cost. */
export interface JobFacts {
  readonly ms: number;
  /** Between the moment from which it could run and this run; absent where the queue does not tell. */
  readonly waitedMs?: number;
  /** Room → milliseconds, in the order in which they were entered. */
  readonly rooms: Readonly<Record<string, number>>;
  readonly counts: Readonly<Record<string, number>>;
  /** Which rule of the gate decided; absent where memory was not asked. */
  readonly gate?: string;
  /** Absent where nothing was written. */
  readonly cost?: Pick<Review["cost"], "inputTokens" | "outputTokens" | "usd">;
}

export interface JobWatch {
  /** The same step, watched. */
  step(job: AnyJob, step: Stage): Stage;
  /** Does the work of a leased job. */
  run<T>(lane: LaneName, lease: Lease<AnyJob>, work: () => Promise<T>): Promise<T>;
  /** Told each end of a run once; what to say of it in the log. */
  ended(lane: LaneName, lease: Lease<AnyJob>, end: JobEnd): JobFacts;
}

interface Tally {
  started: number;
  readonly rooms: Map<string, number>;
  readonly counts: Map<string, number>;
  gate: string | null;
  cost: Review["cost"] | null;
}

const TRACER = "kodiai";

type Told = Pick<Metrics, "waited" | "ended" | "room" | "posted" | "degraded">;

export function jobWatch(metrics: Told): JobWatch {
  const tallies = new WeakMap<AnyJob, Tally>();
  const tallyOf = (job: AnyJob): Tally => {
    const tally = tallies.get(job) ?? newTally();
    tallies.set(job, tally);
    return tally;
  };
  return {
    step: (job, step) => (room, enter) =>
      inSpan(`kodiai.room ${room}`, { "kodiai.room": room }, async (span) => {
        const started = performance.now();
        const tally = tallyOf(job);
        try {
          const value = await step(room, enter);
          const facts = factsOf(value);
          note(tally, facts, metrics);
          for (const [name, count] of Object.entries(facts.counts)) span.setAttribute(`kodiai.${name}`, count);
          return value;
        } finally {
          const ms = performance.now() - started;
          metrics.room(room, ms);
          tally.rooms.set(room, (tally.rooms.get(room) ?? 0) + Math.round(ms));
        }
      }),
    run(lane, lease, work) {
      const { job, attempt, waitedMs } = lease;
      tallies.set(job, newTally());
      if (waitedMs !== undefined) metrics.waited(lane, waitedMs);
      const attributes = { "kodiai.lane": lane, "kodiai.job.key": job.key, "kodiai.job.attempt": attempt };
      return inSpan(`kodiai.job ${lane}`, attributes, work);
    },
    ended(lane, { job, waitedMs }, end) {
      const { started, rooms, counts, gate, cost } = tallyOf(job);
      tallies.delete(job);
      const ms = performance.now() - started;
      metrics.ended(lane, end, ms);
      return {
        ms: Math.round(ms),
        ...(waitedMs === undefined ? {} : { waitedMs }),
        rooms: Object.fromEntries(rooms),
        counts: Object.fromEntries(counts),
        ...(gate === null ? {} : { gate }),
        ...(cost === null ? {} : { cost: costOf(cost) }),
      };
    },
  };
}

function newTally(): Tally {
  return { started: performance.now(), rooms: new Map(), counts: new Map(), gate: null, cost: null };
}

function costOf({ inputTokens, outputTokens, usd }: Review["cost"]): JobFacts["cost"] {
  return { inputTokens, outputTokens, usd };
}

/** Without OpenTelemetry this is the work and nothing else. An error is told by its class: its words may quote others. */
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

interface RoomFacts {
  readonly counts: Readonly<Record<string, number>>;
  readonly degraded: readonly Degraded[];
  readonly gate?: string;
  readonly cost?: Review["cost"];
  readonly posted?: PostedReview;
}

const NO_FACTS: RoomFacts = { counts: {}, degraded: [] };

function note(tally: Tally, { counts, degraded, gate, cost, posted }: RoomFacts, metrics: Told): void {
  for (const [name, count] of Object.entries(counts)) tally.counts.set(name, count);
  tally.gate = gate ?? tally.gate;
  tally.cost = cost ?? tally.cost;
  metrics.degraded(degraded);
  if (posted !== undefined) metrics.posted(posted);
}

/** Counts of what a room hands on; what is degraded is counted where it first appears. */
function factsOf(value: unknown): RoomFacts {
  if (typeof value !== "object" || value === null || !("kind" in value)) return NO_FACTS;
  if (value.kind === "context") return contextFacts(value as unknown as PullRequestContext);
  if (value.kind === "precedents") return precedentFacts(value as unknown as Precedents);
  if (value.kind === "review") return reviewFacts(value as unknown as Review);
  if (value.kind === "posted") return postedFacts(value as unknown as PostedReview);
  return NO_FACTS;
}

function contextFacts({ files, leftOut }: PullRequestContext): RoomFacts {
  return { counts: { files: files.length, leftOut: leftOut.length }, degraded: [] };
}

function precedentFacts({ ranked, gate, query }: Precedents): RoomFacts {
  return {
    counts: { precedents: ranked.length, searches: query === null ? 0 : query.variants.length },
    degraded: [],
    gate: gate.decidedBy,
  };
}

/** A review carries what was degraded in the rooms before it. */
function reviewFacts({ findings, heldBack, degraded, cost }: Review): RoomFacts {
  const counts = { findings: findings.length, heldBack: heldBack.length, degraded: degraded.length };
  return { counts, degraded, cost };
}

function postedFacts(posted: PostedReview): RoomFacts {
  const inline = posted.findings.filter(({ place }) => place === "inline").length;
  return { counts: { inline }, degraded: [], cost: posted.review.cost, posted };
}
