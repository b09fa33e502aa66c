// The app as it runs: Probot takes signed deliveries, the queue keeps them, the worker walks each job down the corridor.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "pino";
import { createNodeMiddleware, Probot, type ProbotOctokit, ProbotOctokit as ProbotOctokitClass } from "probot";
import type { Embeddings } from "./config/read-embeddings.ts";
import type { Job, ReviewJob, UpkeepJob } from "./domain/job.ts";
import { Transient } from "./domain/transient.ts";
import { type FollowPorts, followedLine, followRepository } from "./flows/follow-repository.ts";
import { reviewPullRequest, type Step } from "./flows/review-pull-request.ts";
import type { JobEnd, Lease } from "./ports.ts";
import { receive } from "./receive/receive.ts";
import { takeBody } from "./take-body.ts";
import {
  chosenEmbedder,
  followPorts,
  githubFetch,
  inspector,
  openStore,
  reviewPorts,
  type Store,
  type Unposted,
} from "./wire.ts";
import { startWorker, type Worker } from "./worker.ts";

export interface AppOptions {
  readonly appId: number;
  /** PEM. */
  readonly privateKey: string;
  readonly webhookSecret: string;
  readonly webhookPath: string;
  /** `github.com`, or the host of a GitHub Enterprise Server. */
  readonly githubHost: string;
  /** `https://api.github.com`, or `https://HOST/api/v3`. */
  readonly apiUrl: string;
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly dataDir: string;
  readonly reviewerLogin: string | null;
  /** Jobs of different pull requests that may run at a time. */
  readonly workers: number;
  /** What turns text into vectors for the memory. */
  readonly embeddings: Embeddings;
  /** Write reviews and post nothing. */
  readonly dryRun: boolean;
  /** Space out writes as GitHub asks; off in tests only. */
  readonly pace: boolean;
  readonly log: Logger;
  /** Told what each room hands on; the demo prints it. */
  readonly onStep?: (job: ReviewJob, room: string, value: unknown, ms: number) => void;
}

export interface RunningApp {
  readonly url: string;
  /** Stops taking deliveries, lets running jobs end (at most 25 s), and closes the store. */
  close(): Promise<void>;
}

/** GitHub gives up on a delivery after 10 s and an orchestrator on a process after 30 s. */
const DRAIN_MS = 25_000;

/**
 * Starts the app and listens.
 *
 * @throws Error when the credentials are wrong, the port is taken or the store cannot be opened
 */
export async function startApp(options: AppOptions): Promise<RunningApp> {
  const { log } = options;
  const fetch = githubFetch(options.apiUrl);
  const probot = new Probot({
    appId: options.appId,
    privateKey: options.privateKey,
    secret: options.webhookSecret,
    baseUrl: options.apiUrl,
    request: { fetch },
    log,
    // A write that is tried again blindly is posted twice; the queue tries again, and looks first.
    Octokit: ProbotOctokitClass.defaults((given: object) => ({
      ...given,
      throttle: { enabled: false },
      retry: { enabled: false },
    })) as typeof ProbotOctokit,
  });
  const app = await probot.auth();
  const botLogin = `${await slug(app)}[bot]`;

  const store = openStore(options.dataDir);
  const recovered = store.queue.recover(Date.now());
  if (recovered > 0) log.warn({ recovered }, "jobs of a process that ended abruptly wait again");

  const { apiUrl, pace } = options;
  const onUnposted = options.dryRun ? (unposted: Unposted) => log.info(unposted, "dry run: not posted") : null;
  const chosen = await chosenEmbedder(options.embeddings);
  // The keyless embedder is quicker than any cache.
  const embedder = options.embeddings.kind === "local" ? chosen : store.cached(chosen);
  const ports = reviewPorts({ app, apiUrl, fetch, botLogin, pace, onUnposted }, store, inspector(), embedder);
  const worker = startWorker(
    {
      queue: store.queue,
      run: async (job) => outcome(await reviewPullRequest(job, await ports(job), timed(job, options))),
      onEnd: (lease, end, error) => logEnd(log, lease, end, error, { head: lease.job.headSha }),
      now: Date.now,
      random: Math.random,
    },
    options.workers,
  );
  const follow = followPorts({ app, apiUrl, fetch, botLogin, pace, onUnposted }, store, embedder);
  const upkeep = startWorker(
    {
      queue: store.queue.upkeep,
      run: (job) => runUpkeep(job, store, follow(job)),
      onEnd: (lease, end, error) => logEnd(log, lease, end, error),
      now: Date.now,
      random: Math.random,
    },
    1,
  );

  const server = await listen(probot, store, { review: worker, upkeep }, options);
  const { address, port } = server.address() as AddressInfo;
  const url = `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
  log.info({ url, webhookPath: options.webhookPath, as: botLogin }, "Kodiai is listening");
  return {
    url,
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      });
      await Promise.all([worker.stop(DRAIN_MS), upkeep.stop(DRAIN_MS)]);
      await store.close();
    },
  };
}

type Workers = Readonly<Record<"review" | "upkeep", Worker>>;

async function listen(probot: Probot, store: Store, workers: Workers, options: AppOptions): Promise<Server> {
  const middleware = await createNodeMiddleware(
    (app, { addHandler }) => {
      // The delivery is committed before this returns, and only then answered; a failure is answered 500.
      app.onAny(async (event) => {
        const delivery = { id: event.id, event: event.name, payload: event.payload as unknown };
        const result = receive(delivery, { host: options.githubHost, reviewerLogin: options.reviewerLogin });
        const isNew = store.queue.accept({ id: event.id, event: event.name, receivedAt: Date.now() }, result);
        logDelivery(options.log, event.name, result, isNew);
        if (isNew && (result.kind === "review" || result.kind === "upkeep")) workers[result.kind].wake();
      });
      addHandler((request, response) => health(request, response, store));
      addHandler((request, response) => isDelivery(request, options) && takeBody(request, response));
    },
    { probot, webhooksPath: options.webhookPath },
  );
  const server = createServer((request, response) => {
    void middleware(request, response, () => response.writeHead(404).end());
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: options.port, host: options.host }, resolve);
  });
  return server;
}

function logDelivery(log: Logger, event: string, result: ReturnType<typeof receive>, isNew: boolean): void {
  const { kind, ...rest } = result;
  const told = "jobs" in rest ? { ...rest, jobs: rest.jobs.map(({ key }) => key).slice(0, LOGGED_JOBS) } : rest;
  log.info({ ...told, event, kind: isNew ? kind : "seen before" }, "delivery");
}

/** A delivery can name thousands of repositories. */
const LOGGED_JOBS = 20;

function logEnd(log: Logger, { job, attempt }: Lease<Job>, end: JobEnd, error: unknown, more: object = {}): void {
  const failed = end.state === "dead" || isBug(error);
  const said = { job: job.key, ...more, trigger: job.trigger, attempt, ...end };
  log[failed ? "error" : "info"](failed ? { ...said, err: error } : said, "job ended");
}

/** A tree that is too large for one run is read on in the next: as a job of its own, so that others get their turn. */
async function runUpkeep(job: UpkeepJob, store: Store, ports: FollowPorts): Promise<string> {
  const done = await followRepository(job, ports);
  if (job.kind === "index" && done.kind === "indexed" && done.next !== null) {
    const next: UpkeepJob = { ...job, trigger: "continued", after: done.next };
    const received = { id: `${job.delivery}>${done.next}`, event: "continued", receivedAt: Date.now() };
    store.queue.accept(received, { kind: "upkeep", delivery: job.delivery, jobs: [next] });
  }
  return followedLine(done);
}

function isDelivery({ method, url, headers }: IncomingMessage, { webhookPath }: AppOptions): boolean {
  const isJson = headers["content-type"]?.trimStart().startsWith("application/json") === true;
  return method === "POST" && isJson && url?.split("?")[0]?.replace(/\/+$/, "") === webhookPath;
}

/** GET /healthz: the process answers and its store can be read. */
function health(request: IncomingMessage, response: ServerResponse, store: Store): boolean {
  if (request.method !== "GET" || request.url?.split("?")[0] !== "/healthz") return false;
  const body = JSON.stringify({ ok: true, jobs: store.queue.counts() });
  response.writeHead(200, { "content-type": "application/json" }).end(body);
  return true;
}

async function slug(app: ProbotOctokit): Promise<string> {
  const { data } = await app.request("GET /app");
  if (data === null || data.slug === undefined)
    throw new Error("GitHub does not know this app; check APP_ID and PRIVATE_KEY");
  return data.slug;
}

/** Anything but "try again later". */
function isBug(error: unknown): boolean {
  return error !== null && !(error instanceof Transient);
}

function outcome(result: Awaited<ReturnType<typeof reviewPullRequest>>): string {
  return result.kind === "posted"
    ? `posted ${result.reviewUrl ?? result.summaryUrl}`
    : `${result.kind}: ${result.reason}`;
}

function timed(job: ReviewJob, options: AppOptions): Step {
  return async (room, enter) => {
    const started = performance.now();
    const value = await enter();
    const ms = Math.round(performance.now() - started);
    options.log.debug({ job: job.key, room, ms }, "room");
    options.onStep?.(job, room, value, ms);
    return value;
  };
}
