// The app as it runs: the door takes signed deliveries, the queue keeps them, the workers walk each job down its corridor.
import type { Logger } from "pino";
import { Probot, type ProbotOctokit, ProbotOctokit as ProbotOctokitClass } from "probot";
import manifest from "../package.json" with { type: "json" };
import type { CommandJob } from "./domain/command.ts";
import type { DescribeJob, ReviewJob, UpkeepJob } from "./domain/job.ts";
import { otherSpaces } from "./domain/other-spaces.ts";
import { OutOfReach } from "./domain/out-of-reach.ts";
import { Transient } from "./domain/transient.ts";
import type { AnyJob, Inspector, JobEnd, Lease } from "./ports.ts";
import { openAdminDoor } from "./server/admin-door.ts";
import { goneWatch } from "./server/after-gone.ts";
import { thenDescribe } from "./server/after-review.ts";
import { answerClock } from "./server/answer-clock.ts";
import type { AppOptions, RunningApp } from "./server/app-options.ts";
import { checkSweeper } from "./server/check-sweeper.ts";
import { countedStore } from "./server/counted-store.ts";
import { dashboardOf } from "./server/dashboard-of.ts";
import { runFeedback } from "./server/feedback-sweep.ts";
import { heartbeat, sayAlive } from "./server/heartbeat.ts";
import { closed, openDoor, urlOf, type Workers } from "./server/http-door.ts";
import { type JobWatch, jobWatch } from "./server/job-watch.ts";
import { appMetrics } from "./server/metrics.ts";
import { missedSweeper, REACHES_MORE } from "./server/missed-sweeper.ts";
import { ownSlug } from "./server/own-slug.ts";
import { retrievalWatch } from "./server/retrieval-watch.ts";
import type { Rounds } from "./server/rounds.ts";
import { runFollow } from "./server/run-follow.ts";
import { jobRunner } from "./server/run-job.ts";
import { timedStep } from "./server/timed-step.ts";
import { upkeepRounds } from "./server/upkeep-rounds.ts";
import { chosenModel, openQuestions } from "./wire/asking.ts";
import { passwordIn } from "./wire/database-password.ts";
import { githubFetch } from "./wire/egress.ts";
import { learnPorts } from "./wire/feedback.ts";
import { missedPorts } from "./wire/missed.ts";
import { chosenReranker } from "./wire/reranker.ts";
import { neverTell } from "./wire/secrets.ts";
import { openStore, type Store } from "./wire/store.ts";
import { whereabouts } from "./wire/whereabouts.ts";
import {
  chosenEmbedder,
  followPorts,
  githubAnswers,
  type Reading,
  reviewPorts,
  serverInspector,
  serverStatistics,
  type Unposted,
  type WiredGitHub,
  wiredChecks,
  wiredGitHub,
  withoutSecretsTaken,
} from "./wire.ts";
import { parkedWorker, startWorker } from "./worker.ts";

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
    log,
    // A write that is tried again blindly is posted twice; the queue tries again, and looks first.
    Octokit: ProbotOctokitClass.defaults((given: object) => ({
      ...given,
      throttle: { enabled: false },
      retry: { enabled: false },
    })) as typeof ProbotOctokit,
  });
}

/**
 * Starts the app and listens.
 *
 * @throws StoreUnusable when the store cannot be used; Error when the credentials are wrong or the port is taken
 */
export async function startApp(options: AppOptions): Promise<RunningApp> {
  const { log, apiUrl, pace } = options;
  neverTell(...secretsOf(options));
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
    ...{ app, apiUrl, fetch, botLogin, pace, onUnposted, onUnrecorded, limits: store.pace },
    markerSecret: options.privateKey,
    settledMs: options.waits?.settledMs,
    onLost: ({ kind, repo, number }, found) =>
      log.warn({ kind, repo: repo.id, number, found }, "the answer to a write was lost; looked for it"),
  });
  const sweeper = checkSweeper(store.checks, wiredChecks(github, store.held(null).writes), log);
  // Started now, so that the first review finds it ready.
  const inspector: NonNullable<AppOptions["inspector"]> = options.inspector ?? serverInspector();
  await sayAlive(store.queue, log);
  const workers = startWorkers({ ...options, inspector }, store, github, reading, { sweeper, seen: jobWatch(metrics) });
  const rounds = upkeepRounds(store, github, workers, options);
  const beating = heartbeat(store.queue, workers, log, options.waits?.beatMs);
  store.queue.onJobAvailable?.((lane) => workers[lane].wake());

  const door = await openDoor(probot, store, workers, { ...options, slug: name, counted: metrics });
  const admin = options.admin
    ? await openAdminDoor(door, store, metrics, {
        ...options.admin,
        rounds,
        sinceAnsweredMs,
        others: (readiness) => dashboardOf(options, store, reading, { readiness, workers }),
      })
    : null;
  // What comes again comes through the door, so the door is open by now.
  const add = async (job: ReviewJob) => {
    await store.queue.add(job, Date.now());
    workers.review.wake();
  };
  const missed = missedSweeper(missedPorts(github, store, options.githubHost, add), log, options.missed);
  await probot.load((events) =>
    events.on([...REACHES_MORE], () => {
      missed.wake();
      sweeper.wakeAll();
    }),
  );
  const url = urlOf(door.server);
  const adminUrl = admin === null ? null : urlOf(admin);
  log.info({ url, adminUrl, webhookPath: options.webhookPath, as: botLogin }, "Kodiai is listening");
  return {
    url,
    adminUrl,
    async close() {
      await door.drain();
      await Promise.all([missed.stop(), rounds.stop()]);
      await Promise.all(Object.values(workers).map((worker) => worker.stop(options.waits?.drainMs ?? DRAIN_MS)));
      const swept = Promise.all([reading.asking.questions.end(), sweeper.stop(), rounds.tidied()]);
      await Promise.race([swept, new Promise((resolve) => setTimeout(resolve, TIDY_MS))]);
      await beating.stop();
      inspector.close?.();
      await Promise.all([door.close(), admin === null ? null : closed(admin)]);
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
  const settings = { ...limits, silentMs: waits?.silentMs };
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
  for (const reason of otherSpaces(await store.spaces(), chosen.space))
    log.warn({ reason }, "memories of another embedder");
  // The keyless embedder is quicker than any cache.
  const embedder = embeddings.kind === "local" ? chosen : store.cached(chosen);
  const reranker = await chosenReranker(choice);
  if (reranker !== null)
    log.info({ reranker: reranker.name }, "what memory finds is reranked: each review costs money");
  const questions = openQuestions((cost, error) =>
    log.error({ ...cost, err: error }, "what a question to the model cost could not be written down"),
  );
  const asking = { model: await chosenModel(model), usdPerMonth: model?.usdPerMonth ?? null, questions };
  return { embedder, reranker, asking };
}

/** A review that stands on GitHub is not held up for longer by a memory that cannot be written. */
const TRIES_TO_REMEMBER = 6;
/** Commands that are answered at a time. */
const TALKERS = 2;

/** A lane for reviews, one for what people ask, and one that keeps memory in step with repositories: none waits for another. */
function startWorkers(
  options: AppOptions & { readonly inspector: Inspector },
  store: Store,
  github: WiredGitHub,
  reading: Reading,
  { sweeper, seen }: { readonly sweeper: Rounds; readonly seen: JobWatch },
): Workers {
  const { log } = options;
  const { queue } = store;
  const runner = jobRunner({
    queue,
    onAdded: () => review.wake(),
    portsOf: reviewPorts(github, store, options.inspector, reading),
    stepOf: (job) =>
      thenDescribe(
        seen.step(job, timedStep(job, options)),
        job,
        describeLater(options, store, () => upkeep.wake()),
      ),
  });
  const follow = followPorts(github, store, reading);
  const lookIfGone = goneWatch(whereabouts(github), queue, log, () => {
    review.wake();
    upkeep.wake();
  });
  const watch = retrievalWatch(serverStatistics(store), (alerts) => log.warn({ alerts }, "retrieval needs a look"));
  const onLost = ({ job }: Lease<AnyJob>) => log.warn({ job: job.key }, "another process has the job by now");
  const clocks = { now: Date.now, random: Math.random, onLost };
  const review = startWorker(
    {
      ...clocks,
      queue,
      run: (job, attempt, overtaken, lease) =>
        seen.run("review", lease, () =>
          lookIfGone(job, () => runner.review(lease, attempt >= TRIES_TO_REMEMBER, overtaken)),
        ),
      onEnd: (lease, end, error) => {
        if (end.state === "parked") sweeper.wake();
        void watch();
        logEnd(log, lease, end, error, { head: lease.job.headSha, ...seen.ended("review", lease, end) });
      },
    },
    options.workers,
  );
  const onEndOf = (lane: "command" | "upkeep") => (lease: Lease<AnyJob>, end: JobEnd, error: unknown) =>
    logEnd(log, lease, end, error, seen.ended(lane, lease, end));
  const answer = (job: CommandJob, _attempt: number, _signal: AbortSignal, lease: Lease<CommandJob>) =>
    seen.run("command", lease, () => lookIfGone(job, () => runner.command(lease)));
  const command = startWorker({ ...clocks, queue: queue.commands, run: answer, onEnd: onEndOf("command") }, TALKERS);
  const learn = learnPorts(github, store);
  const upkeepOf = async (job: UpkeepJob, lease: Lease<UpkeepJob>) =>
    job.kind === "feedback" ? runFeedback(job, await learn(job)) : runFollow(job, queue, follow(lease));
  const runUpkeep = (job: UpkeepJob, _attempt: number, _signal: AbortSignal, lease: Lease<UpkeepJob>) =>
    seen.run("upkeep", lease, () => lookIfGone(job, () => upkeepOf(job, lease)));
  const upkeep =
    store.memoryProblem === null
      ? startWorker({ ...clocks, queue: queue.upkeep, run: runUpkeep, onEnd: onEndOf("upkeep") }, 1)
      : parkedWorker(() => log.warn("upkeep waits: its jobs run when Kodiai starts with a memory that opens"));
  return { review, command, upkeep };
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
  return error !== null && !(error instanceof Transient) && !(error instanceof OutOfReach);
}
