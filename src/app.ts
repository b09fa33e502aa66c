// The app as it runs: Probot takes signed deliveries, the queue keeps them, the worker walks each job down the corridor.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "pino";
import { createNodeMiddleware, Probot, type ProbotOctokit, ProbotOctokit as ProbotOctokitClass } from "probot";
import type { Embeddings } from "./config/read-embeddings.ts";
import type { ModelChoice } from "./config/read-model.ts";
import type { RerankerChoice } from "./config/read-reranker.ts";
import type { ReviewJob } from "./domain/job.ts";
import { otherSpaces } from "./domain/other-spaces.ts";
import { Transient } from "./domain/transient.ts";
import { reviewPullRequest, type Step } from "./flows/review-pull-request.ts";
import { receive } from "./receive/receive.ts";
import { retrievalWatch } from "./retrieval-watch.ts";
import { stepFacts } from "./step-facts.ts";
import { takeBody } from "./take-body.ts";
import {
  chosenEmbedder,
  chosenModel,
  chosenReranker,
  githubFetch,
  inspector,
  type MemorySettings,
  openStore,
  reviewPorts,
  type Store,
  serverStatistics,
  type Unposted,
} from "./wire.ts";
import { ATTEMPTS, startWorker, type Worker } from "./worker.ts";

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
  /** What puts found memories into a better order. */
  readonly reranker: RerankerChoice;
  /** Write reviews and post nothing. */
  readonly dryRun: boolean;
  /** Space out writes as GitHub asks; off in tests only. */
  readonly pace: boolean;
  /** Other limits than the documented ones; in tests only. */
  readonly memory?: MemorySettings;
  readonly embeddingLimits?: Parameters<typeof chosenEmbedder>[1];
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
 * @throws Error when the credentials are wrong, the port is taken or the store cannot be opened
 */
export async function startApp(options: AppOptions): Promise<RunningApp> {
  const { log } = options;
  const fetch = githubFetch(options.apiUrl);
  const probot = probotOf(options, fetch);
  const app = await probot.auth();
  const botLogin = `${await slug(app)}[bot]`;

  const store = openStore(options.dataDir, options.memory);
  if (store.memoryProblem !== null) log.error({ err: store.memoryProblem }, "reviews go on without memory");
  // Nobody waits for it: until it is done the file answers, more slowly.
  store
    .warm()
    .catch((error: unknown) => log.warn({ err: error }, "memory could not be read ahead of the first review"));
  const recovered = store.queue.recover(Date.now());
  if (recovered > 0) log.warn({ recovered }, "jobs of a process that ended abruptly wait again");

  const { apiUrl, pace } = options;
  const onUnposted = options.dryRun ? (unposted: Unposted) => log.info(unposted, "dry run: not posted") : null;
  const chosen = await chosenEmbedder(options.embeddings, options.embeddingLimits);
  for (const reason of otherSpaces(store.spaces(), chosen.space)) log.warn({ reason }, "memories of another embedder");
  // The keyless embedder is quicker than any cache.
  const embedder = options.embeddings.kind === "local" ? chosen : store.cached(chosen);
  const reranker = await chosenReranker(options.reranker);
  if (reranker !== null)
    log.info({ reranker: reranker.name }, "what memory finds is reranked: each review costs money");
  const reading = { embedder, reranker, model: await chosenModel(options.model) };
  const onUnrecorded = (error: unknown) => log.warn({ err: error }, "a retrieval was not written down");
  const wiring = { app, apiUrl, fetch, botLogin, pace, onUnposted, onUnrecorded };
  const ports = reviewPorts(wiring, store, inspector(), reading);
  const watch = retrievalWatch(serverStatistics(store), (alerts) => log.warn({ alerts }, "retrieval needs a look"));
  const worker = startWorker(
    {
      queue: store.queue,
      run: async (job, attempt) => {
        const given = { ...(await ports(job)), isLastTry: attempt >= ATTEMPTS };
        return outcome(await reviewPullRequest(job, given, timed(job, options)));
      },
      onEnd: ({ job, attempt }, end, error) => {
        void watch();
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
        const result = receive(delivery, { host: options.githubHost, reviewerLogin: options.reviewerLogin });
        const isNew = store.queue.accept({ id: event.id, event: event.name, receivedAt: Date.now() }, result);
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

function isDelivery({ method, url, headers }: IncomingMessage, { webhookPath }: AppOptions): boolean {
  const isJson = headers["content-type"]?.trimStart().startsWith("application/json") === true;
  return method === "POST" && isJson && url?.split("?")[0]?.replace(/\/+$/, "") === webhookPath;
}

/** GET /healthz: the process answers, its store can be read, and how far memory is read; no text of anybody. */
function health(request: IncomingMessage, response: ServerResponse, store: Store): boolean {
  if (request.method !== "GET" || request.url?.split("?")[0] !== "/healthz") return false;
  const body = JSON.stringify({ ok: true, jobs: store.queue.counts(), memory: store.warmth() });
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
  if (result.kind !== "posted") return `${result.kind}: ${result.reason}`;
  const lost = result.notRemembered === null ? "" : `; not remembered: ${result.notRemembered}`;
  return `posted ${result.reviewUrl ?? result.summaryUrl}${lost}`;
}

function timed(job: ReviewJob, options: AppOptions): Step {
  return async (room, enter) => {
    const started = performance.now();
    const value = await enter();
    const ms = Math.round(performance.now() - started);
    options.log.debug({ job: job.key, room, ms, ...stepFacts(value) }, "room");
    const trouble = memoryTrouble(room, value);
    if (trouble !== null) options.log.warn({ job: job.key, room, ...trouble }, "memory is degraded");
    options.onStep?.(job, room, value, ms);
    return value;
  };
}

/** What went wrong with memory in a room: one warning a review. The review's footer says it too, where it still can. */
function memoryTrouble(room: string, value: unknown): object | null {
  if ((room !== "retrieve" && room !== "remember") || typeof value !== "object" || value === null) return null;
  if ("reason" in value) return { reason: value.reason };
  const { degraded, refused } = { degraded: [], refused: [], ...value } as Record<string, readonly unknown[]>;
  return degraded?.length === 0 && refused?.length === 0 ? null : { degraded, refused };
}
