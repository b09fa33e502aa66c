// The running app: Probot receives deliveries, the queue stores jobs, a worker process runs them.

import { Probot, type ProbotOctokit, ProbotOctokit as ProbotOctokitClass } from "probot";
import manifest from "../package.json" with { type: "json" };
import type { ReviewJob } from "./domain/job.ts";
import { type JobFigures, startAdminServer } from "./server/admin-server.ts";
import type { AppOptions, RunningApp } from "./server/app-options.ts";
import { ownSlug } from "./server/await-answer.ts";
import { appMetrics, type Metrics } from "./server/metrics.ts";
import { appGitHub, openedStore, registerOwnSecrets } from "./server/open-app.ts";
import type { JobHooks, Jobs } from "./server/start-jobs.ts";
import { checkSweeper, startMaintenance } from "./server/sweeps/maintenance.ts";
import { type MissedSweeper, missedSweeper } from "./server/sweeps/missed-sweeper.ts";
import { commentTaker, committer, deliveryHandler, type ProbotEvent } from "./server/take-delivery.ts";
import { closeServer, startWebhookServer, urlOf } from "./server/webhook-server.ts";
import { workerProcess } from "./server/worker-process.ts";
import { wiredDashboard } from "./wire/dashboard.ts";
import { githubFetch } from "./wire/egress.ts";
import { githubAnswers, missedPorts, type WiredGitHub, wiredChecks } from "./wire/github.ts";
import { chosenEmbedder } from "./wire/models.ts";
import type { Store } from "./wire/store.ts";

/** An orchestrator kills a process after 30 s. Longer jobs are retried on the next start. */
const DRAIN_MS = 22_000;
const TIDY_MS = 2_000;

function probotOf({ appId, privateKey, webhookSecret, apiUrl, waits, log }: AppOptions): Probot {
  return new Probot({
    appId,
    privateKey,
    secret: webhookSecret,
    baseUrl: apiUrl,
    request: { fetch: githubFetch(apiUrl, waits?.deadlineMs) },
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

/** Probot makes a client for each event and rejects one without installation id. We need none. */
function noClientForEvents({ auth }: { auth: (...wish: unknown[]) => Promise<unknown> }) {
  const unused = new ProbotOctokitClass({ throttle: { enabled: false } });
  return { auth: async (wish: { readonly type: string }) => (wish.type === "event-octokit" ? unused : auth(wish)) };
}

/** Starts the app. @throws StoreUnusable; Error for wrong credentials or a port in use */
export async function startApp(options: AppOptions): Promise<RunningApp> {
  const { log, apiUrl } = options;
  registerOwnSecrets(options);
  const probot = probotOf(options);
  const slug = await ownSlug(() => githubAnswers(options, apiUrl, options.unwanted), options);

  const metrics = appMetrics(manifest.version);
  const store = await openedStore(options, metrics, { isChecked: true });
  const { github, sinceAnsweredMs } = appGitHub(options, store, slug);
  const embedder = await chosenEmbedder(options.embeddings, options.embeddingLimits);
  const { writes } = store.held(null);
  const sweeper = checkSweeper(store, wiredChecks(github, writes), log);
  let missed: MissedSweeper | null = null;
  const onParked = (ranForMs: number) => {
    sweeper.wake();
    missed?.parked(ranForMs);
  };
  const running = await runningJobs(options, store, github, metrics, { slug, onParked });
  const { jobs } = running;
  const maintenance = startMaintenance(store, github, () => jobs.wake("upkeep"), options);

  const commits = committer(store.inbox);
  const wake = () => jobs.wake();
  const onReachesMore = () => {
    missed?.wake();
    sweeper.wakeAll();
  };
  const taking = { store, commits, counted: metrics, wake, onReachesMore, slug };
  await probot.load(deliveryHandler({ ...options, ...taking }));
  const webhookServer = await startWebhookServer(probot, { ...options, counted: metrics });
  const admin = options.admin
    ? await startAdminServer(webhookServer, store, metrics, {
        ...options.admin,
        maintenance,
        failedAgo: commits.failedAgo,
        sinceAnsweredMs: () => soonest(sinceAnsweredMs(), running.sinceAnsweredMs()),
        running,
        others: (readiness) => wiredDashboard(options, store, embedder, { readiness, wake, ...running }),
      })
    : null;
  const add = async (job: ReviewJob) => {
    await store.queue.add(job, Date.now());
    jobs.wake("review");
  };
  const take = commentTaker({ ...options, ...taking });
  missed = missedSweeper(missedPorts(github, store, options.githubHost, { add, take }), log, options.missed);
  const url = urlOf(webhookServer.server);
  const adminUrl = admin === null ? null : urlOf(admin);
  log.info({ url, adminUrl, webhookPath: options.webhookPath, as: github.botLogin }, "Kodiai is listening");
  return {
    url,
    adminUrl,
    async close() {
      await webhookServer.drain();
      await Promise.all([missed?.stop(), maintenance.stop()]);
      await jobs.stop(options.waits?.drainMs ?? DRAIN_MS);
      const swept = Promise.all([sweeper.stop(), maintenance.tidied()]);
      await Promise.race([swept, new Promise((resolve) => setTimeout(resolve, TIDY_MS))]);
      await Promise.all([webhookServer.close(), admin === null ? null : closeServer(admin)]);
      await store.close();
    },
  };
}

/** What runs jobs, and what the operator sees of it. */
interface RunningJobs extends JobFigures {
  readonly jobs: Jobs;
  /** See answerClock. */
  readonly sinceAnsweredMs: () => number | null;
}

async function runningJobs(
  options: AppOptions,
  store: Store,
  github: WiredGitHub,
  metrics: Metrics,
  hooks: { readonly slug: string } & Pick<JobHooks, "onParked">,
): Promise<RunningJobs> {
  const isInProcess = options.inProcess ?? (options.inspector !== undefined || options.onStep !== undefined);
  if (!isInProcess) {
    const worker = workerProcess(options, store, metrics, hooks);
    return {
      jobs: worker,
      problem: worker.problem,
      workerBytes: () => worker.state()?.rssBytes ?? 0,
      sinceAnsweredMs: () => worker.state()?.sinceAnsweredMs ?? null,
    };
  }
  // Loaded on demand: the server itself needs none of it.
  const { startJobs } = await import("./server/start-jobs.ts");
  const counted: JobHooks["counted"] = (_, work) => work();
  const jobs = await startJobs(options, store, github, metrics, { ...hooks, counted });
  const none = () => null;
  return { jobs, problem: none, workerBytes: () => 0, sinceAnsweredMs: none };
}

function soonest(first: number | null, second: number | null): number | null {
  return first === null || second === null ? (first ?? second) : Math.min(first, second);
}
