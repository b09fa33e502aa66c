// Runs jobs: the readers of memory, the lanes of the queue, and what surrounds each job. In a
// worker process beside the server, or with `--in-process` in the server.
import type { Logger } from "pino";
import type { CommandJob } from "../domain/command.ts";
import { AtCapacity, OutOfReach, TooExpensive, Transient } from "../domain/errors.ts";
import type { DescribeJob, ReviewJob, UpkeepJob } from "../domain/job.ts";
import { staleEmbeddings } from "../domain/memory/index-state.ts";
import { answerComment, giveUpAnswer } from "../flows/commands/answer-comment.ts";
import { learnFromPeople, learntLine } from "../flows/people/learn-from-people.ts";
import { giveUpReview, noteFailure } from "../flows/review/check-run.ts";
import { reviewPullRequest } from "../flows/review/review-pull-request.ts";
import type { AnyJob, Held, Inspector, JobEnd, LaneName, Lease, LeaseLimits } from "../ports.ts";
import { locateRepository, type WiredGitHub } from "../wire/github.ts";
import { followPorts, learnPorts, type RetrievalServices, reviewPorts, serverStatistics } from "../wire/job-ports.ts";
import { chosenEmbedder, chosenModel, chosenReranker, openQuestions } from "../wire/models.ts";
import { serverInspector } from "../wire/rules.ts";
import type { Store } from "../wire/store.ts";
import { disabledWorker, isLastFailure, startWorker, type Workers } from "../worker.ts";
import type { AppOptions } from "./app-options.ts";
import { LANES, type Metrics } from "./metrics.ts";
import { runFollow } from "./run-follow.ts";
import {
  admittedBy,
  describedLater,
  type JobWrapper,
  reviewLine,
  runJob,
  stoppableReviews,
  unlessForgotten,
} from "./run-job.ts";
import { beatOnce, heartbeat } from "./sweeps/heartbeat.ts";
import { type JobWatch, jobWatch, retrievalWatch } from "./sweeps/job-watch.ts";
import { largeReviews } from "./sweeps/large-reviews.ts";
import { withMissingRepositoryCheck } from "./sweeps/missing-repository.ts";

/** For the end of questions to a model. */
const TIDY_MS = 2_000;

export interface Jobs {
  /** Polls these lanes now, or all of them: a job may have been added. */
  wake(lane?: LaneName): void;
  /** Takes no further jobs; once the running ones end, or after `withinMs`, gives back the rest. */
  stop(withinMs: number): Promise<void>;
}

export interface JobHooks {
  /** Called when a review was parked, with the milliseconds that its last attempt took. */
  readonly onParked: (ranForMs: number) => void;
  /** Runs a job so that its processor time is counted. */
  readonly counted: <T>(job: Held, work: () => Promise<T>) => Promise<T>;
}

/** Starts the lanes. The store stays open when they are stopped. */
export async function startJobs(
  options: AppOptions,
  store: Store,
  github: WiredGitHub,
  metrics: Metrics,
  hooks: JobHooks,
): Promise<Jobs> {
  const { log, waits } = options;
  const { queue } = store;
  if (store.memoryProblem !== null) log.error({ err: store.memoryProblem }, "reviews continue without memory");
  const reading = await readers(options, store);
  // Started early, so that it is ready for the first review.
  const inspector: NonNullable<AppOptions["inspector"]> = options.inspector ?? serverInspector();
  await beatOnce(queue, log);
  const seen = jobWatch(metrics, options);
  const workers = startWorkers({ ...options, inspector }, store, github, reading, { ...hooks, seen });
  const beating = heartbeat(queue, log, waits?.beatMs);
  return {
    wake(lane) {
      for (const worker of lane === undefined ? Object.values(workers) : [workers[lane]]) worker.wake();
    },
    async stop(withinMs) {
      await Promise.all(Object.values(workers).map((worker) => worker.stop(withinMs)));
      const tidy = new Promise((resolve) => setTimeout(resolve, TIDY_MS).unref());
      await Promise.race([reading.asking.questions.end(), tidy]);
      await beating.stop();
      inspector.close?.();
    },
  };
}

async function readers(
  { embeddings, embeddingLimits, reranker: choice, model, log }: AppOptions,
  store: Store,
): Promise<RetrievalServices> {
  const chosen = await chosenEmbedder(embeddings, embeddingLimits);
  for (const reason of staleEmbeddings(await store.spaces(), chosen.space))
    log.warn({ reason }, "memory holds vectors of another embedder");
  // The keyless embedder is faster than any cache.
  const embedder = embeddings.kind === "local" ? chosen : store.cached(chosen);
  const reranker = await chosenReranker(choice);
  if (reranker !== null) log.info({ reranker: reranker.name }, "search results are reranked: each review costs money");
  const questions = openQuestions((cost, error) =>
    log.error({ ...cost, err: error }, "the cost of a model request could not be recorded"),
  );
  const { usdPerMonth = null, repositoryPercent = 100 } = model ?? {};
  const asking = {
    model: model && (await chosenModel(model, undefined, store.modelLessons)),
    usdPerMonth,
    repositoryPercent,
    questions,
  };
  return { embedder, reranker, asking };
}

/** After so many attempts a posted review ends even if memory cannot be written. */
const TRIES_TO_REMEMBER = 6;
const COMMANDS_AT_ONCE = 2;
/** After so many attempts that took too much time, the job says so and is parked. */
const MOST_OVERRUNS = 2;
const isTooExpensive = ({ overruns }: Lease<AnyJob>) => overruns >= MOST_OVERRUNS;

/** Lanes for reviews, for commands, and for maintenance of memory: none waits for another. */
function startWorkers(
  options: AppOptions & { readonly inspector: Inspector },
  store: Store,
  github: WiredGitHub,
  reading: RetrievalServices,
  { onParked, counted, seen }: JobHooks & { readonly seen: JobWatch },
): Workers {
  const { log } = options;
  const { queue } = store;
  const { jobs, stoppable } = stoppableReviews(queue, () => workers.review.wake());
  const lookIfGone = withMissingRepositoryCheck(locateRepository(github), queue, log, () => {
    workers.review.wake();
    workers.upkeep.wake();
  });
  const addDescribing = describeLater(options, store, () => workers.upkeep.wake());
  const large = largeReviews();
  /** Wrap each job of their lanes, the outermost first. */
  const wrappers: readonly JobWrapper[] = [
    // What it takes of the processor counts against its limit.
    { lanes: LANES, job: (run, next) => counted(run.lease, () => next(run)) },
    // The span, the metrics and the log line of the job.
    { lanes: LANES, job: (run, next) => seen.run(run.lane, run.lease, () => next(run)) },
    // A job whose repository is missing looks it up again before its end is recorded.
    { lanes: LANES, job: (run, next) => lookIfGone(run.lease.job, () => next(run)) },
    // Makes no request about a repository that was removed while the job waited.
    unlessForgotten,
    // `/kodiai stop` ends a review between two stages or between two comments.
    stoppable,
    // Reviews of large changes need much memory: two at a time; others free their worker.
    admittedBy(large),
    // A separate job describes new memories later.
    describedLater(addDescribing),
    // The span, the metrics and the log line of each stage.
    { lanes: ["review", "command"], stage: ({ lease }, next) => seen.step(lease.job, next) },
  ];

  const portsOf = reviewPorts(github, store, options.inspector, reading);
  const review = (lease: Lease<ReviewJob>, superseded: AbortSignal) =>
    runJob({ lane: "review", lease, signal: superseded }, wrappers, async ({ adapt, signal }, stage) => {
      const ports = { ...adapt(await portsOf(lease)), signal, isLastTry: lease.attempt >= TRIES_TO_REMEMBER };
      if (isTooExpensive(lease)) return giveUpReview(lease.job, ports);
      try {
        return reviewLine(await reviewPullRequest(lease.job, ports, stage));
      } catch (error) {
        if (!signal.aborted && isLastFailure(error, lease.attempt)) await noteFailure(lease.job, ports);
        throw error;
      }
    });
  const command = (lease: Lease<CommandJob>, signal: AbortSignal) =>
    runJob({ lane: "command", lease, signal }, wrappers, async ({ adapt }, stage) => {
      const ports = { ...adapt(await portsOf(lease)), jobs };
      return isTooExpensive(lease) ? giveUpAnswer(lease.job, ports) : answerComment(lease.job, ports, stage);
    });
  const learn = learnPorts(github, store);
  const follow = followPorts(github, store, reading);
  const upkeep = (lease: Lease<UpkeepJob>, signal: AbortSignal) =>
    runJob({ lane: "upkeep", lease, signal }, wrappers, async () => {
      const { job } = lease;
      if (isTooExpensive(lease)) throw new TooExpensive();
      return job.kind === "feedback"
        ? learntLine(await learnFromPeople(job, await learn(job)))
        : runFollow(job, queue, follow(lease));
    });

  const watch = retrievalWatch(serverStatistics(store), (alerts) => log.warn({ alerts }, "retrieval alert"));
  const onLost = ({ job }: Lease<AnyJob>) => log.warn({ job: job.key }, "lease lost to another process");
  const onEndOf = (lane: LaneName) => (lease: Lease<AnyJob>, end: JobEnd, error: unknown) => {
    const facts = seen.ended(lane, lease, end);
    if (lane === "review" && end.state === "parked") onParked(facts.ms);
    if (lane === "review") void watch();
    const head = lease.job.kind === "review" ? { head: lease.job.headSha } : {};
    logEnd(log, lease, end, error, { ...head, ...facts });
  };
  const clocks = { now: Date.now, random: Math.random, onLost, limits: () => null };
  /** With two or more workers, one is reserved for other repositories. */
  const limits = (): LeaseLimits => ({
    ofRepository: Math.max(1, options.workers - 1),
    hasCapacity: large.hasCapacity(),
  });
  const workers: Workers = {
    review: startWorker({ ...clocks, queue, run: review, onEnd: onEndOf("review"), limits }, options.workers),
    command: startWorker(
      { ...clocks, queue: queue.commands, run: command, onEnd: onEndOf("command") },
      COMMANDS_AT_ONCE,
    ),
    upkeep:
      store.memoryProblem === null
        ? startWorker({ ...clocks, queue: queue.upkeep, run: upkeep, onEnd: onEndOf("upkeep") }, 1)
        : disabledWorker(() => log.warn("maintenance lane disabled: memory could not be opened")),
  };
  return workers;
}

function logEnd(log: Logger, { job, attempt }: Lease<AnyJob>, end: JobEnd, error: unknown, more: object): void {
  const isBug =
    error !== null && ![Transient, OutOfReach, AtCapacity, TooExpensive].some((known) => error instanceof known);
  const failed = end.state === "parked" || isBug;
  const trigger = job.kind === "command" ? job.command.kind : job.trigger;
  const facts = { job: job.key, ...more, trigger, attempt, ...end };
  log[failed ? "error" : "info"](failed ? { ...facts, err: error } : facts, "job ended");
}

/** Enqueues the job; never rejects, so that no review fails because of it. */
function describeLater(
  { model, log }: AppOptions,
  { queue }: Store,
  wake: () => void,
): (job: DescribeJob) => Promise<void> {
  return async (job) => {
    if (model === null) return;
    try {
      const received = { id: `${job.delivery}>describe`, event: job.trigger, receivedAt: Date.now(), meaning: null };
      if (await queue.accept(received, { kind: "upkeep", delivery: job.delivery, jobs: [job] })) wake();
    } catch (error) {
      log.warn({ job: job.key, err: error }, "could not enqueue the description job");
    }
  };
}
