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
import type { Degraded, Skipped } from "../domain/outcome.ts";
import type { PullRequestContext } from "../domain/pull-request.ts";
import type { PostedReview, Review, Superseded } from "../domain/review.ts";
import { gather } from "../gather/gather.ts";
import { findingRecords, type Remembered, remember } from "../learn/learn.ts";
import type { CheckBook, Checks, Inspector, Ledger, PullRequests, PushWaits, Reviews } from "../ports.ts";
import type { Embedder, Memory, Recall } from "../ports-memory.ts";
import type { ModelAccess } from "../ports-model.ts";
import { publish } from "../publish/publish.ts";
import { type newGateCache, retrieve } from "../retrieve/retrieve.ts";
import { review } from "../review/review.ts";
import { type CheckRun, checkRun } from "./check-run.ts";
import { modelLeave, monthSpending } from "./model-leave.ts";

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
  /** Which rules there are. */
  readonly known: KnownRules;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Told what is reviewed before the work begins; what it returns as degraded is said in the review. */
  readonly begun?: (context: PullRequestContext) => Promise<readonly Degraded[]>;
  /** Aborted when nobody wants the review any more. */
  readonly signal?: AbortSignal;
}

export interface ReviewPorts extends WritingPorts {
  readonly ledger: Ledger;
  readonly reviews: Reviews;
  readonly checks: Checks;
  readonly book: CheckBook;
  readonly waits: PushWaits;
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
 * @throws Transient when another try may succeed; anything else is a bug
 */
export async function reviewPullRequest(
  job: ReviewJob,
  ports: ReviewPorts,
  step: Step,
): Promise<PostedReview | Superseded | Skipped> {
  const check = checkRun(job, ports, ports.now);
  const result = await reviewed(job, ports, step, check);
  // A posted one has said so before it was settled.
  if (result.kind !== "posted") await check.end(result);
  return result;
}

async function reviewed(
  job: ReviewJob,
  ports: ReviewPorts,
  step: Step,
  check: CheckRun,
): Promise<PostedReview | Superseded | Skipped> {
  const unsent = ports.ledger.unsent(job);
  if (unsent !== null) {
    const sent = await send(job, unsent, ports, step, check);
    if (sent.kind === "posted") return sent;
  }
  const isDone = (headSha: string, baseSha: string) => !job.explicit && ports.ledger.wasPosted(job, headSha, baseSha);
  const begun = ({ repo, pull, config: { review: asked } }: PullRequestContext) => {
    ports.waits.learn(repo, asked.debounceSeconds * 1000);
    return asked.checks.enabled ? check.begin(pull.head.sha, asked.checks.failOn) : Promise.resolve([]);
  };
  const written = await writeReview(job, { ...ports, begun }, step, isDone);
  if (written.kind === "skipped") return written;
  // What was not read for this reason is not posted; the job that waits reads it.
  if (ports.signal?.aborted === true) return { kind: "superseded", reason: "a later request took its place" };
  ports.ledger.save(job, written, ports.now());
  return send(job, written, ports, step, check);
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
  const context = await step("gather", () => gather(job, ports.pulls, ports.known, ports.access !== null));
  if (context.kind === "skipped") return context;
  if (isDone(context.pull.head.sha, context.pull.base.sha)) {
    return { kind: "skipped", reason: "this head was reviewed before" };
  }
  const missing = (await ports.begun?.(context)) ?? [];
  const signals = await step("analyze", () => analyze(context));
  const precedents = await step("retrieve", () =>
    retrieve(context, signals, ports, {
      knowledge: context.config.knowledge,
      now: ports.now(),
      gateCache: ports.gateCache,
    }),
  );
  const { access, signal } = ports;
  const leave = modelLeave(context.config.review, context.repo, access, ports.now(), signal);
  const written = await step("review", () =>
    review(context, signals, precedents, { inspector: ports.inspector, leave }),
  );
  return {
    ...written,
    degraded: [...written.degraded, ...missing],
    cost: { ...written.cost, ms: ports.now() - started },
    month: monthSpending(context.config.review, context.repo, access, ports.now()),
  };
}

async function send(
  job: ReviewJob,
  written: Review,
  ports: ReviewPorts,
  step: Step,
  check: CheckRun,
): Promise<PostedReview | Superseded> {
  const sent = await step("publish", () => publish(written, ports.reviews));
  // As planned, not as posted: after a crash in between, comments that stand already are remembered all the same, and
  // remembering twice changes nothing.
  if (sent.kind === "posted") await step("remember", () => keep({ ...sent, findings: written.findings }, ports));
  // Before the review is settled: a process that dies in between comes by here again.
  if (sent.kind === "posted") await check.end(sent);
  ports.ledger.settle(job, written, ports.now(), sent.kind);
  return sent;
}

function keep(posted: PostedReview, ports: ReviewPorts): Promise<Remembered> {
  const records = findingRecords(posted, { at: ports.now(), author: ports.botLogin, hunkOf: () => null });
  return remember(records, ports.embedder, ports.memory, { redact: ports.redact });
}
