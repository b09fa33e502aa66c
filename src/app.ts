// The app as it runs: Probot takes signed deliveries, the queue keeps their jobs, the workers run each through its pipeline.

import type { Logger } from "pino";
import { Probot, type ProbotOctokit, ProbotOctokit as ProbotOctokitClass } from "probot";
import manifest from "../package.json" with { type: "json" };
import type { CommandJob } from "./domain/command.ts";
import { NoRoom, OutOfReach, Transient } from "./domain/errors.ts";
import type { DescribeJob, ReviewJob, UpkeepJob } from "./domain/job.ts";
import { staleEmbeddings } from "./domain/memory/index-state.ts";
import { answerComment } from "./flows/commands/answer-comment.ts";
import { reviewPullRequest } from "./flows/review/review-pull-request.ts";
import type { AnyJob, Inspector, JobEnd, LaneName, Lease, LeaseLimits } from "./ports.ts";
import { openAdminDoor } from "./server/admin-door.ts";
import { goneWatch } from "./server/after-gone.ts";
import { answerClock } from "./server/answer-clock.ts";
import type { AppOptions, RunningApp } from "./server/app-options.ts";
import { checkSweeper } from "./server/check-sweeper.ts";
import { countedStore } from "./server/counted-store.ts";
import { dashboardOf } from "./server/dashboard-of.ts";
import { runFeedback } from "./server/feedback-sweep.ts";
import { heartbeat, sayAlive } from "./server/heartbeat.ts";
import { type JobWatch, jobWatch } from "./server/job-watch.ts";
import { type LargeReviews, largeReviews } from "./server/large-reviews.ts";
import { appMetrics } from "./server/metrics.ts";
import { type MissedSweeper, missedSweeper } from "./server/missed-sweeper.ts";
import { ownSlug } from "./server/own-slug.ts";
import { retrievalWatch } from "./server/retrieval-watch.ts";
import type { Rounds } from "./server/rounds.ts";
import { runFollow } from "./server/run-follow.ts";
import {
  admittedBy,
  describedLater,
  type JobWrapper,
  loggedStages,
  reviewLine,
  runJob,
  stoppableReviews,
  unlessForgotten,
} from "./server/run-job.ts";
import { committer, deliveryHandler, type ProbotEvent } from "./server/take-delivery.ts";
import { upkeepRounds } from "./server/upkeep-rounds.ts";
import { closeServer, startWebhookServer, urlOf } from "./server/webhook-server.ts";
import { archiveFetch, githubFetch } from "./wire/egress.ts";
import {
  githubAnswers,
  type Unposted,
  type WiredGitHub,
  whereabouts,
  wiredChecks,
  wiredGitHub,
  wiredProgress,
} from "./wire/github.ts";
import { followPorts, learnPorts, missedPorts, type Reading, reviewPorts, serverStatistics } from "./wire/job-ports.ts";
import { chosenEmbedder, chosenModel, chosenReranker, openQuestions } from "./wire/models.ts";
import { serverInspector, symbols } from "./wire/rules.ts";
import { passwordIn, registerSecrets, withoutSecretsTaken } from "./wire/secrets.ts";
import { openStore, type Store } from "./wire/store.ts";
import { parkedWorker, startWorker, type Workers } from "./worker.ts";

/** An orchestrator gives up on a process after 30 s. What runs longer waits again at the next start. */
const DRAIN_MS = 22_000;
/** For what is only tidied up at the end. */
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
    // At level debug Probot logs each event that it receives, payload and all.
    log: log.child({}, { serializers: { event: ({ id, name }: ProbotEvent) => ({ id, name }) } }),
    // A write that is tried again blindly is posted twice; the queue tries again, and looks first.
    Octokit: ProbotOctokitClass.plugin(noClientForEvents).defaults((given: object) => ({
      ...given,
      throttle: { enabled: false },
      retry: { enabled: false },
    })) as typeof ProbotOctokit,
  });
}

/** Probot makes a client for each event, and rejects events whose installation has no number. Our handler asks GitHub nothing. */
function noClientForEvents({ auth }: { auth: (...asked: unknown[]) => Promise<unknown> }) {
  const unused = new ProbotOctokitClass({ throttle: { enabled: false } });
  return { auth: async (asked: { readonly type: string }) => (asked.type === "event-octokit" ? unused : auth(asked)) };
}

/**
 * Starts the app and listens.
 *
 * @throws StoreUnusable when the store cannot be used; Error when the credentials are wrong or the port is taken
 */
export async function startApp(options: AppOptions): Promise<RunningApp> {
  const { log, apiUrl, pace } = options;
  registerSecrets(...secretsOf(options));
  const { fetch, sinceAnsweredMs } = answerClock(githubFetch(apiUrl, options.waits?.deadlineMs));
  const probot = probotOf(options, fetch);
  const app = await probot.auth();
  const name = await ownSlug(() => githubAnswers(options, apiUrl, options.unwanted), options);
  const botLogin = `${name}[bot]`;

  const metrics = appMetrics(manifest.version);
  const store = countedStore(await openedStore(options), metrics);
  const reading = await readers(options, store);
  const onUnposted = options.dryRun ? (unposted: Unposted) => log.info(unposted, "dry run: not posted") : null;
  const onUnrecorded = (error: unknown) => log.warn({ err: error }, "a retrieval was not written down");
  const github = wiredGitHub({
    app,
    apiUrl,
    fetch,
    archives: archiveFetch(apiUrl),
    botLogin,
    pace,
    onUnposted,
    onUnrecorded,
    limits: store.pace,
    markerSecret: options.privateKey,
    settledMs: options.waits?.settledMs,
    onLost: ({ kind, repo, number }, found) =>
      log.warn({ kind, repo: repo.id, number, found }, "the answer to a write was lost; looked for it"),
  });
  const { writes } = store.held(null);
  const sweeper = checkSweeper(store, wiredChecks(github, writes), wiredProgress(github, writes), log);
  // Started now, so that the first review finds it ready.
  const inspector: NonNullable<AppOptions["inspector"]> = options.inspector ?? serverInspector();
  await sayAlive(store.queue, log);
  const workers = startWorkers({ ...options, inspector }, store, github, reading, { sweeper, seen: jobWatch(metrics) });
  const rounds = upkeepRounds(store, github, workers, options);
  const beating = heartbeat(store.queue, workers, log, options.waits?.beatMs);
  store.queue.onJobAvailable?.((lane) => workers[lane].wake());

  let missed: MissedSweeper | null = null;
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
    ? await openAdminDoor(door, store, metrics, {
        ...options.admin,
        rounds,
        failedAgo: commits.failedAgo,
        sinceAnsweredMs,
        others: (readiness) => dashboardOf(options, store, reading, { readiness, wake }),
      })
    : null;
  // What comes again comes through the door, so the door is open by now.
  const add = async (job: ReviewJob) => {
    await store.queue.add(job, Date.now());
    workers.review.wake();
  };
  missed = missedSweeper(missedPorts(github, store, options.githubHost, add), log, options.missed);
  const url = urlOf(door.server);
  const adminUrl = admin === null ? null : urlOf(admin);
  log.info({ url, adminUrl, webhookPath: options.webhookPath, as: botLogin }, "Kodiai is listening");
  return {
    url,
    adminUrl,
    async close() {
      await door.drain();
      await Promise.all([missed?.stop(), rounds.stop()]);
      await Promise.all(Object.values(workers).map((worker) => worker.stop(options.waits?.drainMs ?? DRAIN_MS)));
      const swept = Promise.all([reading.asking.questions.end(), sweeper.stop(), rounds.tidied()]);
      await Promise.race([swept, new Promise((resolve) => setTimeout(resolve, TIDY_MS))]);
      await beating.stop();
      inspector.close?.();
      reading.symbols.close();
      await Promise.all([door.close(), admin === null ? null : closeServer(admin)]);
      await store.close();
    },
  };
}

function secretsOf({ privateKey, webhookSecret, formerSecret, databaseUrl }: AppOptions): readonly (string | null)[] {
  return [privateKey, webhookSecret, formerSecret?.secret ?? null, databaseUrl ? passwordIn(databaseUrl) : null];
}

/** The store, with memory on its way in. */
async function openedStore(options: AppOptions): Promise<Store> {
  const { dataDir, databaseUrl = null, memory, searchMemoryBytes, waits, log } = options;
  const limits = searchMemoryBytes ? { memoryBytes: searchMemoryBytes } : {};
  const settings = { ...limits, silentMs: waits?.silentMs, dataDir };
  const onExposed = (reason: string) => log.info({ reason }, "others may list the data folder, and read no file in it");
  const store = await openStore(databaseUrl ?? dataDir, { isChecked: true, ...settings, ...memory, onExposed });
  if (store.memoryProblem !== null) log.error({ err: store.memoryProblem }, "reviews go on without memory");
  // Nobody waits for it: until it is done the file answers, more slowly.
  const unread = (error: unknown) => log.warn({ err: error }, "memory could not be read ahead of the first review");
  store.warm().catch(unread);
  return withoutSecretsTaken(store);
}

/** What reads memory, as the operator chose. */
async function readers(
  { embeddings, embeddingLimits, reranker: choice, model, log }: AppOptions,
  store: Store,
): Promise<Reading> {
  const chosen = await chosenEmbedder(embeddings, embeddingLimits);
  for (const reason of staleEmbeddings(await store.spaces(), chosen.space))
    log.warn({ reason }, "memories of another embedder");
  // The keyless embedder is quicker than any cache.
  const embedder = embeddings.kind === "local" ? chosen : store.cached(chosen);
  const reranker = await chosenReranker(choice);
  if (reranker !== null)
    log.info({ reranker: reranker.name }, "what memory finds is reranked: each review costs money");
  const questions = openQuestions((cost, error) =>
    log.error({ ...cost, err: error }, "what a question to the model cost could not be written down"),
  );
  const { usdPerMonth = null, repositoryPercent = 100 } = model ?? {};
  const asking = { model: await chosenModel(model), usdPerMonth, repositoryPercent, questions };
  return { embedder, reranker, asking, symbols: symbols() };
}

/** A review that stands on GitHub is not held up for longer by a memory that cannot be written. */
const TRIES_TO_REMEMBER = 6;
/** Commands that are answered at a time. */
const COMMANDS_AT_ONCE = 2;
const LANES: readonly LaneName[] = ["review", "command", "upkeep"];

/** A lane for reviews, one for commands, and one that keeps memory in step with repositories: none waits for another. */
function startWorkers(
  options: AppOptions & { readonly inspector: Inspector },
  store: Store,
  github: WiredGitHub,
  reading: Reading,
  { sweeper, seen }: { readonly sweeper: Rounds; readonly seen: JobWatch },
): Workers {
  const { log } = options;
  const { queue } = store;
  const { jobs, stoppable } = stoppableReviews(queue, () => workers.review.wake());
  const lookIfGone = goneWatch(whereabouts(github), queue, log, () => {
    workers.review.wake();
    workers.upkeep.wake();
  });
  const addDescribing = describeLater(options, store, () => workers.upkeep.wake());
  const large = largeReviews();
  /** Around each job of their lanes, the outermost first. */
  const wrappers: readonly JobWrapper[] = [
    // The span and the metrics of the job, and the facts of its line in the log.
    { lanes: LANES, job: (run, next) => seen.run(run.lane, run.lease, () => next(run)) },
    // A job that finds its repository gone looks where it is now, before its end is recorded.
    { lanes: LANES, job: (run, next) => lookIfGone(run.lease.job, () => next(run)) },
    // Nothing is asked about a repository that was forgotten while the job waited.
    unlessForgotten,
    // `/kodiai stop` ends a review between two stages or two comments.
    stoppable,
    // Two reviews of large changes run at a time, as they hold much in memory; others give their worker back.
    admittedBy(large),
    // What was newly remembered is described later, by a job of its own.
    describedLater(addDescribing),
    // The span and the metrics of each stage.
    { lanes: ["review", "command"], stage: ({ lease }, next) => seen.step(lease.job, next) },
    // The log of each stage: its time, its figures, and what is wrong with memory.
    loggedStages(options),
  ];

  const portsOf = reviewPorts(github, store, options.inspector, reading);
  const review = (job: ReviewJob, attempt: number, superseded: AbortSignal, lease: Lease<ReviewJob>) =>
    runJob({ lane: "review", lease, signal: superseded }, wrappers, async ({ adapt, signal }, stage) => {
      const ports = { ...adapt(await portsOf(lease)), signal, isLastTry: attempt >= TRIES_TO_REMEMBER };
      return reviewLine(await reviewPullRequest(job, ports, stage));
    });
  const command = (job: CommandJob, _attempt: number, signal: AbortSignal, lease: Lease<CommandJob>) =>
    runJob({ lane: "command", lease, signal }, wrappers, async ({ adapt }, stage) =>
      answerComment(job, { ...adapt(await portsOf(lease)), jobs }, stage),
    );
  const learn = learnPorts(github, store);
  const follow = followPorts(github, store, reading);
  const upkeep = (job: UpkeepJob, _attempt: number, signal: AbortSignal, lease: Lease<UpkeepJob>) =>
    runJob({ lane: "upkeep", lease, signal }, wrappers, async () =>
      job.kind === "feedback" ? runFeedback(job, await learn(job)) : runFollow(job, queue, follow(lease)),
    );

  const watch = retrievalWatch(serverStatistics(store), (alerts) => log.warn({ alerts }, "retrieval needs a look"));
  const onLost = ({ job }: Lease<AnyJob>) => log.warn({ job: job.key }, "another process has the job by now");
  const onEndOf = (lane: LaneName) => (lease: Lease<AnyJob>, end: JobEnd, error: unknown) => {
    if (lane === "review" && end.state === "parked") sweeper.wake();
    if (lane === "review") void watch();
    const head = lease.job.kind === "review" ? { head: lease.job.headSha } : {};
    logEnd(log, lease, end, error, { ...head, ...seen.ended(lane, lease, end) });
  };
  const clocks = { now: Date.now, random: Math.random, onLost };
  const workers: Workers = {
    review: startWorker(
      { ...clocks, queue, run: review, onEnd: onEndOf("review"), limits: () => limitsOf(options.workers, large) },
      options.workers,
    ),
    command: startWorker(
      { ...clocks, queue: queue.commands, run: command, onEnd: onEndOf("command") },
      COMMANDS_AT_ONCE,
    ),
    upkeep:
      store.memoryProblem === null
        ? startWorker({ ...clocks, queue: queue.upkeep, run: upkeep, onEnd: onEndOf("upkeep") }, 1)
        : parkedWorker(() => log.warn("upkeep waits: its jobs run when Kodiai starts with a memory that opens")),
  };
  return workers;
}

/** One worker is left to other repositories, where there are two. */
function limitsOf(workers: number, large: LargeReviews): LeaseLimits {
  return { ofRepository: Math.max(1, workers - 1), hasRoom: large.hasRoom() };
}

function logEnd(log: Logger, { job, attempt }: Lease<AnyJob>, end: JobEnd, error: unknown, more: object): void {
  const failed = end.state === "parked" || isBug(error);
  const said = {
    job: job.key,
    ...more,
    trigger: job.kind === "command" ? job.command.kind : job.trigger,
    attempt,
    ...end,
  };
  log[failed ? "error" : "info"](failed ? { ...said, err: error } : said, "job ended");
}

/** Puts the job in the queue; a review never fails for it. */
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
      log.warn({ job: job.key, err: error }, "memories are described after another review");
    }
  };
}

/** Anything but "try again later" and GitHub's last word. */
function isBug(error: unknown): boolean {
  return error !== null && ![Transient, OutOfReach, NoRoom].some((known) => error instanceof known);
}
