// The app as it runs: Probot takes signed deliveries, the queue keeps them, the worker walks each job down the corridor.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "pino";
import { createNodeMiddleware, Probot, type ProbotOctokit, ProbotOctokit as ProbotOctokitClass } from "probot";
import type { Embeddings } from "./config/read-embeddings.ts";
import type { ModelChoice } from "./config/read-model.ts";
import type { CancelJob, Ignored, ReviewJob } from "./domain/job.ts";
import { Transient } from "./domain/transient.ts";
import { sweepChecks } from "./flows/check-run.ts";
import { reviewPullRequest, type Step } from "./flows/review-pull-request.ts";
import { receive } from "./receive/receive.ts";
import { takeBody } from "./take-body.ts";
import {
  type ChecksOf,
  checksOf,
  chosenEmbedder,
  chosenModel,
  githubFetch,
  inspector,
  openStore,
  reviewPorts,
  type Store,
  type Unposted,
  wiredClients,
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
  /** Null: rules and memory review alone. */
  readonly model: ModelChoice | null;
  /** False: a push does not wait for the next one; in tests only. */
  readonly debounce?: boolean;
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
  const github = { app, apiUrl, fetch, botLogin, pace, onUnposted };
  const clients = wiredClients(github);
  const asking = { model: await chosenModel(options.model), usdPerMonth: options.model?.usdPerMonth ?? null };
  const ports = reviewPorts(github, clients, store, inspector(), embedder, asking);
  const sweeper = startSweeper(store, checksOf(github, clients), log);
  const worker = startWorker(
    {
      queue: store.queue,
      run: async (job, _attempt, signal) =>
        outcome(await reviewPullRequest(job, await ports(job, signal), timed(job, options))),
      onEnd: ({ job, attempt }, end, error) => {
        if (end.state === "dead") sweeper.wake();
        log[end.state === "dead" || isBug(error) ? "error" : "info"](
          {
            job: job.key,
            head: job.headSha,
            trigger: job.trigger,
            attempt,
            ...end,
            ...(end.state === "dead" || isBug(error) ? { err: error } : {}),
          },
          "job ended",
        );
      },
      now: Date.now,
      random: Math.random,
    },
    options.workers,
  );

  const server = await listen(probot, store, worker, options);
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
      await worker.stop(DRAIN_MS);
      await sweeper.stop();
      await store.close();
    },
  };
}

async function listen(probot: Probot, store: Store, worker: Worker, options: AppOptions): Promise<Server> {
  const middleware = await createNodeMiddleware(
    (app, { addHandler }) => {
      // The delivery is committed before this returns, and only then answered; a failure is answered 500.
      app.onAny(async (event) => {
        const delivery = { id: event.id, event: event.name, payload: event.payload as unknown };
        const now = Date.now();
        const received = receive(delivery, { host: options.githubHost, reviewerLogin: options.reviewerLogin });
        const result = options.debounce === false ? received : debounced(received, store, now);
        const isNew = store.queue.accept({ id: event.id, event: event.name, receivedAt: now }, result);
        const { kind, ...rest } = result;
        options.log.info({ ...rest, event: event.name, kind: isNew ? kind : "seen before" }, "delivery");
        if (isNew && kind === "review") worker.wake();
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

/** Before a repository's first review: what its configuration says unless it says otherwise. */
const PUSH_WAIT_MS = 10_000;

/** A push may be the first of a flurry: it waits as long as its repository wishes. Whoever asks in person does not. */
function debounced<T extends ReviewJob | CancelJob | Ignored>(result: T, { waits }: Store, now: number): T {
  if (result.kind !== "review" || result.trigger !== "synchronize") return result;
  return { ...result, notBefore: now + (waits.of(result.repo) ?? PUSH_WAIT_MS) };
}

const SWEEP_MS = 60_000;

/** Ends check runs that nobody else would end: now, every minute, and when it is woken. */
function startSweeper(store: Store, checks: ChecksOf, log: Logger): { wake(): void; stop(): Promise<void> } {
  let last = Promise.resolve();
  const sweep = async () => {
    try {
      const swept = await sweepChecks(store.checks, checks, Date.now());
      for (const { error, ...one } of swept) log.warn({ ...one, err: error }, "check run that was left behind");
    } catch (error) {
      log.error({ err: error }, "check runs could not be swept");
    }
  };
  const wake = () => {
    last = last.then(sweep);
  };
  const timer = setInterval(wake, SWEEP_MS);
  timer.unref();
  wake();
  return {
    wake,
    async stop() {
      clearInterval(timer);
      await last;
    },
  };
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
