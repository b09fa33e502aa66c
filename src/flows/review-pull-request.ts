// The corridor. One review, from a job to a posted review, read top to bottom:
//
//   ReviewJob -> gather -> analyze -> retrieve -> review | publish -> remember
//                (write the letter)                      | (send it)
//
// Each room takes values that earlier rooms returned and hands one value on. A written review is saved before it is
// sent, so a retry resumes at "send": nothing is written twice and nothing is posted twice.
import { analyze } from "../analyze/analyze.ts";
import type { KnownRules } from "../config/check-rules.ts";
import type { ReviewJob } from "../domain/job.ts";
import type { Skipped } from "../domain/outcome.ts";
import type { PostedReview, Review, Superseded } from "../domain/review.ts";
import { Stopped } from "../domain/stopped.ts";
import { gather } from "../gather/gather.ts";
import { findingRecords, type Remembered, remember } from "../learn/learn.ts";
import type { Inspector, Ledger, PullRequests, Reviews } from "../ports.ts";
import type { Embedder, Memory, Recall } from "../ports-memory.ts";
import type { ModelAccess } from "../ports-model.ts";
import type { Decisions } from "../ports-talk.ts";
import { publish } from "../publish/publish.ts";
import { type newGateCache, retrieve } from "../retrieve/retrieve.ts";
import { review } from "../review/review.ts";
import { modelLeave } from "./model-leave.ts";

/** What writing a review needs of the world: nothing that could post. */
export interface WritingPorts {
  readonly pulls: PullRequests;
  readonly inspector: Inspector;
  /** Null searches memory by words only. */
  readonly embedder: Embedder | null;
  readonly recall: Recall;
  /** Decisions whether to search memory, kept from one review to the next; null keeps none. */
  readonly gateCache: ReturnType<typeof newGateCache> | null;
  /** Null: rules and memory only. */
  readonly access: ModelAccess | null;
  /** What people decided about the pull request; absent where nobody could have. */
  readonly decisions?: Pick<Decisions, "of">;
  /** Aborted when somebody said stop. */
  readonly signal?: AbortSignal;
  /** Which rules there are. */
  readonly known: KnownRules;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface ReviewPorts extends WritingPorts {
  readonly ledger: Ledger;
  readonly reviews: Reviews;
  readonly embedder: Embedder;
  readonly memory: Memory;
  /** The text with every secret masked. */
  readonly redact: (text: string) => Promise<string>;
  /** Our own account: `kodiai[bot]`. */
  readonly botLogin: string;
}

/** Enter a room: the caller decides what to time, log or print of the value that it hands on. */
export type Step = <T>(room: string, enter: () => T | Promise<T>) => Promise<T>;

/**
 * Reviews one pull request at its newest head and posts the review, at most once however often the job runs.
 *
 * @throws Transient when another try may succeed; Stopped when somebody said stop; anything else is a bug
 */
export async function reviewPullRequest(
  job: ReviewJob,
  ports: ReviewPorts,
  step: Step,
): Promise<PostedReview | Superseded | Skipped> {
  const { pausedBy } = ports.decisions?.of(job.key) ?? { pausedBy: null };
  if (pausedBy !== null && !job.explicit) return { kind: "skipped", reason: `paused by @${pausedBy}` };
  const unsent = ports.ledger.unsent(job);
  if (unsent !== null) {
    const sent = await send(job, unsent, ports, step);
    if (sent.kind === "posted") return sent;
  }
  const isDone = (headSha: string, baseSha: string) => !job.explicit && ports.ledger.wasPosted(job, headSha, baseSha);
  const written = await writeReview(job, ports, step, isDone);
  if (written.kind === "skipped") return written;
  ports.ledger.save(job, written, ports.now());
  return send(job, written, ports, step);
}

/**
 * The first half of the corridor: a complete review, not sent. The command line stops here.
 *
 * @param isDone whether this head was reviewed against this base before
 */
export async function writeReview(
  job: ReviewJob,
  ports: WritingPorts,
  step: Step,
  isDone: (headSha: string, baseSha: string) => boolean = () => false,
): Promise<Review | Skipped> {
  const started = ports.now();
  const gathered = await step("gather", () => gather(job, ports.pulls, ports.known, ports.access !== null));
  if (gathered.kind === "skipped") return gathered;
  const context = { ...gathered, declined: ports.decisions?.of(job.key).declined ?? [] };
  if (isDone(context.pull.head.sha, context.pull.base.sha)) {
    return { kind: "skipped", reason: "this head was reviewed before" };
  }
  const signals = await step("analyze", () => analyze(context));
  const precedents = await step("retrieve", () =>
    retrieve(context, signals, ports, {
      knowledge: context.config.knowledge,
      now: ports.now(),
      gateCache: ports.gateCache,
    }),
  );
  const leave = modelLeave(context.config.review, context.repo, ports.access, ports.now(), ports.signal);
  const written = await step("review", () =>
    review(context, signals, precedents, { inspector: ports.inspector, leave }),
  );
  return { ...written, cost: { ...written.cost, ms: ports.now() - started } };
}

async function send(
  job: ReviewJob,
  written: Review,
  ports: ReviewPorts,
  step: Step,
): Promise<PostedReview | Superseded> {
  const sent = await step("publish", () => publish(written, ports.reviews)).catch((error: unknown) => {
    // What somebody stopped is not sent by the next job either.
    if (error instanceof Stopped) ports.ledger.settle(job, written, ports.now(), "stopped");
    throw error;
  });
  // As planned, not as posted: after a crash in between, comments that stand already are remembered all the same, and
  // remembering twice changes nothing.
  if (sent.kind === "posted") await step("remember", () => keep({ ...sent, findings: written.findings }, ports));
  ports.ledger.settle(job, written, ports.now(), sent.kind);
  return sent;
}

function keep(posted: PostedReview, ports: ReviewPorts): Promise<Remembered> {
  const records = findingRecords(posted, { at: ports.now(), author: ports.botLogin, hunkOf: () => null });
  return remember(records, ports.embedder, ports.memory, { redact: ports.redact });
}
