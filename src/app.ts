// The running app: Probot receives signed deliveries, the queue stores their jobs, the workers run each through its pipeline.

import type { Logger } from "pino";
import { Probot, type ProbotOctokit, ProbotOctokit as ProbotOctokitClass } from "probot";
import manifest from "../package.json" with { type: "json" };
import type { CommandJob } from "./domain/command.ts";
import { AtCapacity, OutOfReach, Transient } from "./domain/errors.ts";
import type { DescribeJob, ReviewJob, UpkeepJob } from "./domain/job.ts";
import { staleEmbeddings } from "./domain/memory/index-state.ts";
import { answerComment } from "./flows/commands/answer-comment.ts";
import { reviewPullRequest } from "./flows/review/review-pull-request.ts";
import type { AnyJob, Inspector, JobEnd, LaneName, Lease, LeaseLimits } from "./ports.ts";
import { startAdminServer } from "./server/admin-server.ts";
import type { AppOptions, RunningApp } from "./server/app-options.ts";
import { ownSlug } from "./server/await-answer.ts";
import { answerClock, appMetrics, countedStore } from "./server/metrics.ts";
import { runFollow } from "./server/run-follow.ts";
import {
  admittedBy,
  describedLater,
  type JobWrapper,
  reviewLine,
  runJob,
  stoppableReviews,
  unlessForgotten,
} from "./server/run-job.ts";
import { beatOnce, heartbeat } from "./server/sweeps/heartbeat.ts";
import { type JobWatch, jobWatch, retrievalWatch } from "./server/sweeps/job-watch.ts";
import { largeReviews } from "./server/sweeps/large-reviews.ts";
import { checkSweeper, runFeedback, startMaintenance } from "./server/sweeps/maintenance.ts";
import { missedSweeper } from "./server/sweeps/missed-sweeper.ts";
import { withMissingRepositoryCheck } from "./server/sweeps/missing-repository.ts";
import type { PeriodicTask } from "./server/sweeps/periodic-task.ts";
import { commentTaker, committer, deliveryHandler, type ProbotEvent } from "./server/take-delivery.ts";
import { closeServer, startWebhookServer, urlOf } from "./server/webhook-server.ts";
import { wiredDashboard } from "./wire/dashboard.ts";
import { archiveFetch, githubFetch } from "./wire/egress.ts";
import {
  githubAnswers,
  locateRepository,
  type WiredGitHub,
  wiredChecks,
  wiredGitHub,
  wiredProgress,
} from "./wire/github.ts";
import { followPorts, learnPorts, missedPorts, type Reading, reviewPorts, serverStatistics } from "./wire/job-ports.ts";
import { chosenEmbedder, chosenModel, chosenReranker, openQuestions } from "./wire/models.ts";
import { serverInspector } from "./wire/rules.ts";
import { passwordIn, registerSecrets, withoutSecretsTaken } from "./wire/secrets.ts";
import { openStore, type Store } from "./wire/store.ts";
import { parkedWorker, startWorker, type Workers } from "./worker.ts";

/** An orchestrator kills a process after 30 s. Jobs that run longer are retried on the next start. */
const DRAIN_MS = 22_000;
/** For cleanup at the end. */
const TIDY_MS = 2_000;

function probotOf(
  { appId, privateKey, webhookSecret, apiUrl, log }: AppOptions,
  fetch: ReturnType<typeof githubFetch>,
): Probot {
  return new Probot({
    appId,
    privateKey,
    secret: webhookSecret,
    baseUrl: apiUrl,
    request: { fetch },
    // At level debug, Probot would log each event with its payload.
    log: log.child({}, { serializers: { event: ({ id, name }: ProbotEvent) => ({ id, name }) } }),
    // A blind retry of a write could post twice; the queue retries instead, and checks first.
    Octokit: ProbotOctokitClass.plugin(noClientForEvents).defaults((given: object) => ({
      ...given,
      throttle: { enabled: false },
      retry: { enabled: false },
    })) as typeof ProbotOctokit,
  });
}

/** Probot creates a client for each event, and rejects events whose installation has no id. Our handler needs no client. */
function noClientForEvents({ auth }: { auth: (...asked: unknown[]) => Promise<unknown> }) {
  const unused = new ProbotOctokitClass({ throttle: { enabled: false } });
  return { auth: async (asked: { readonly type: string }) => (asked.type === "event-octokit" ? unused : auth(asked)) };
}

/** Starts the app and listens. Throws StoreUnusable, and Error when the credentials are wrong or a port is in use. */
export async function startApp(options: AppOptions): Promise<RunningApp> {
  const { log, apiUrl, pace } = options;
  const { privateKey, webhookSecret, formerSecret, databaseUrl } = options;
  registerSecrets(
    privateKey,
    webhookSecret,
    formerSecret?.secret ?? null,
    databaseUrl ? passwordIn(databaseUrl) : null,
  );
  const { fetch, sinceAnsweredMs } = answerClock(githubFetch(apiUrl, options.waits?.deadlineMs));
  const probot = probotOf(options, fetch);
  const app = await probot.auth();
  const name = await ownSlug(() => githubAnswers(options, apiUrl, options.unwanted), options);
  const botLogin = `${name}[bot]`;

  const metrics = appMetrics(manifest.version);
  const store = countedStore(await openedStore(options), metrics);
  const reading = await readers(options, store);
  const github = wiredGitHub({
    app,
    apiUrl,
    fetch,
    archives: archiveFetch(apiUrl),
    botLogin,
    pace,
    onUnposted: options.dryRun ? (unposted) => log.info(unposted, "dry run: not posted") : null,
    onUnrecorded: (error) => log.warn({ err: error }, "a retrieval could not be logged"),
    limits: store.pace,
    markerSecret: privateKey,
    settledMs: options.waits?.settledMs,
    onLost: ({ kind, repo, number }, found) =>
      log.warn({ kind, repo: repo.id, number, found }, "write response lost; reconciled with GitHub"),
  });
  const { writes } = store.held(null);
  const sweeper = checkSweeper(store, wiredChecks(github, writes), wiredProgress(github, writes), log);
  // Started early, so that it is ready for the first review.
  const inspector: NonNullable<AppOptions["inspector"]> = options.inspector ?? serverInspector();
  await beatOnce(store.queue, log);
  const workers = startWorkers({ ...options, inspector }, store, github, reading, {
    sweeper,
    seen: jobWatch(metrics, options),
  });
  const maintenance = startMaintenance(store, github, workers, options);
  const beating = heartbeat(store.queue, workers, log, options.waits?.beatMs);
  store.queue.onJobAvailable?.((lane) => workers[lane].wake());

  let missed: PeriodicTask | null = null;
  const commits = committer(store.inbox);
  const wake = () => {
    for (const worker of Object.values(workers)) worker.wake();
  };
  const onReachesMore = () => {
    missed?.wake();
    sweeper.wakeAll();
  };
  const taking = { store, commits, counted: metrics, wake, onReachesMore, slug: name };
  await probot.load(deliveryHandler({ ...options, ...taking }));
  const door = await startWebhookServer(probot, { ...options, counted: metrics });
  const admin = options.admin
    ? await startAdminServer(door, store, metrics, {
        ...options.admin,
        maintenance,
        failedAgo: commits.failedAgo,
        sinceAnsweredMs,
        others: (readiness) => wiredDashboard(options, store, reading, { readiness, wake }),
      })
    : null;
  const add = async (job: ReviewJob) => {
    await store.queue.add(job, Date.now());
    workers.review.wake();
  };
  const take = commentTaker({ ...options, ...taking });
  missed = missedSweeper(missedPorts(github, store, options.githubHost, { add, take }), log, options.missed);
  const url = urlOf(door.server);
  const adminUrl = admin === null ? null : urlOf(admin);
  log.info({ url, adminUrl, webhookPath: options.webhookPath, as: botLogin }, "Kodiai is listening");
  return {
    url,
    adminUrl,
    async close() {
      await door.drain();
      await Promise.all([missed?.stop(), maintenance.stop()]);
      await Promise.all(Object.values(workers).map((worker) => worker.stop(options.waits?.drainMs ?? DRAIN_MS)));
      const swept = Promise.all([reading.asking.questions.end(), sweeper.stop(), maintenance.tidied()]);
      await Promise.race([swept, new Promise((resolve) => setTimeout(resolve, TIDY_MS))]);
      await beating.stop();
      inspector.close?.();
      await Promise.all([door.close(), admin === null ? null : closeServer(admin)]);
      await store.close();
    },
  };
}

async function openedStore(options: AppOptions): Promise<Store> {
  const { dataDir, databaseUrl = null, memory, searchMemoryBytes, waits, log } = options;
  const limits = searchMemoryBytes ? { memoryBytes: searchMemoryBytes } : {};
  const settings = { ...limits, silentMs: waits?.silentMs, dataDir };
  const onExposed = (reason: string) =>
    log.info({ reason }, "other users can list the data folder, but read no file in it");
  const store = await openStore(databaseUrl ?? dataDir, { isChecked: true, ...settings, ...memory, onExposed });
  if (store.memoryProblem !== null) log.error({ err: store.memoryProblem }, "reviews continue without memory");
  // Not awaited: until it is done, searches read the file, more slowly.
  store.warm().catch((error: unknown) => log.warn({ err: error }, "memory could not be preloaded"));
  return withoutSecretsTaken(store);
}

/** Everything that reads memory, as configured by the operator. */
async function readers(
  { embeddings, embeddingLimits, reranker: choice, model, log }: AppOptions,
  store: Store,
): Promise<Reading> {
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
/** Commands answered at a time. */
const COMMANDS_AT_ONCE = 2;
const LANES: readonly LaneName[] = ["review", "command", "upkeep"];

/** A lane for reviews, one for commands, and one for maintenance of memory: none waits for another. */
function startWorkers(
  options: AppOptions & { readonly inspector: Inspector },
  store: Store,
  github: WiredGitHub,
  reading: Reading,
  { sweeper, seen }: { readonly sweeper: PeriodicTask; readonly seen: JobWatch },
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
    // The span, the metrics and the log line of the job.
    { lanes: LANES, job: (run, next) => seen.run(run.lane, run.lease, () => next(run)) },
    // A job whose repository is missing looks it up again before its end is recorded.
    { lanes: LANES, job: (run, next) => lookIfGone(run.lease.job, () => next(run)) },
    // Makes no request about a repository that was removed while the job waited.
    unlessForgotten,
    // `/kodiai stop` ends a review between two stages or between two comments.
    stoppable,
    // Reviews of large changes need much memory, so only two run at a time; others free their worker.
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
      return reviewLine(await reviewPullRequest(lease.job, ports, stage));
    });
  const command = (lease: Lease<CommandJob>, signal: AbortSignal) =>
    runJob({ lane: "command", lease, signal }, wrappers, async ({ adapt }, stage) =>
      answerComment(lease.job, { ...adapt(await portsOf(lease)), jobs }, stage),
    );
  const learn = learnPorts(github, store);
  const follow = followPorts(github, store, reading);
  const upkeep = (lease: Lease<UpkeepJob>, signal: AbortSignal) =>
    runJob({ lane: "upkeep", lease, signal }, wrappers, async () => {
      const { job } = lease;
      return job.kind === "feedback" ? runFeedback(job, await learn(job)) : runFollow(job, queue, follow(lease));
    });

  const watch = retrievalWatch(serverStatistics(store), (alerts) => log.warn({ alerts }, "retrieval alert"));
  const onLost = ({ job }: Lease<AnyJob>) => log.warn({ job: job.key }, "lease lost to another process");
  const onEndOf = (lane: LaneName) => (lease: Lease<AnyJob>, end: JobEnd, error: unknown) => {
    if (lane === "review" && end.state === "parked") sweeper.wake();
    if (lane === "review") void watch();
    const head = lease.job.kind === "review" ? { head: lease.job.headSha } : {};
    logEnd(log, lease, end, error, { ...head, ...seen.ended(lane, lease, end) });
  };
  const clocks = { now: Date.now, random: Math.random, onLost };
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
        : parkedWorker(() => log.warn("maintenance lane disabled: memory could not be opened")),
  };
  return workers;
}

function logEnd(log: Logger, { job, attempt }: Lease<AnyJob>, end: JobEnd, error: unknown, more: object): void {
  const isBug = error !== null && ![Transient, OutOfReach, AtCapacity].some((known) => error instanceof known);
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
      const received = { id: `${job.delivery}>describe`, event: job.trigger, receivedAt: Date.now() };
      if (await queue.accept(received, { kind: "upkeep", delivery: job.delivery, jobs: [job] })) wake();
    } catch (error) {
      log.warn({ job: job.key, err: error }, "could not enqueue the description job");
    }
  };
}
