// Where deliveries come in: an HTTP server with Probot, which believes only what is signed. What is accepted is in the queue
// before it is answered.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Logger } from "pino";
import { createNodeMiddleware, type Probot } from "probot";
import type { UpkeepJob } from "../domain/job.ts";
import { receive, receiveClosed, receiveFeedback } from "../receive/receive.ts";
import type { Store } from "../wire/store.ts";
import type { Worker } from "../worker.ts";
import { takeBody } from "./take-body.ts";

/** One for each lane of the queue. */
export type Workers = Readonly<Record<"review" | "command" | "upkeep", Worker>>;

export interface DoorSettings {
  readonly webhookPath: string;
  /** `github.com`, or the host of a GitHub Enterprise Server. */
  readonly githubHost: string;
  readonly reviewerLogin: string | null;
  /** The app's own name, without `[bot]`. */
  readonly slug: string;
  readonly host: string;
  /** False: a push does not wait for the next one; in tests only. */
  readonly debounce?: boolean;
  /** 0 takes a free port. */
  readonly port: number;
  readonly log: Logger;
}

/**
 * Listens for deliveries and for questions about the server's health.
 *
 * @returns the server, listening
 * @throws Error when the port is taken
 */
export async function openDoor(
  probot: Probot,
  store: Store,
  workers: Workers,
  settings: DoorSettings,
): Promise<Server> {
  const middleware = await createNodeMiddleware(
    (app, { addHandler }) => {
      // The delivery is committed before this returns, and only then answered; a failure is answered 500.
      app.onAny(async (event) => {
        const delivery = { id: event.id, event: event.name, payload: event.payload as unknown };
        const { githubHost: host, reviewerLogin, slug } = settings;
        const now = Date.now();
        const received = receive(delivery, { host, reviewerLogin, slug });
        const wanted = settings.debounce === false ? received : debounced(received, store, now);
        const reception = { host, reviewerLogin, slug };
        const learning = [receiveFeedback(delivery, reception), receiveClosed(delivery, reception)];
        const { result, beside } = withUpkeep(
          wanted,
          learning.filter((one) => one !== null),
        );
        const isNew = store.queue.accept({ id: event.id, event: event.name, receivedAt: now }, result, beside);
        logDelivery(settings.log, event.name, result, isNew);
        if (isNew && hasWorker(result)) workers[result.kind].wake();
        if (isNew && beside.length > 0) workers.upkeep.wake();
      });
      addHandler((request, response) => health(request, response, store));
      addHandler((request, response) => isDelivery(request, settings) && takeBody(request, response));
    },
    { probot, webhooksPath: settings.webhookPath },
  );
  const server = createServer((request, response) => {
    void middleware(request, response, () => response.writeHead(404).end());
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: settings.port, host: settings.host }, resolve);
  });
  return server;
}

type Received = ReturnType<typeof receive>;

/** Before a repository's first review: what its configuration says unless it says otherwise. */
const PUSH_WAIT_MS = 10_000;

/** A push may be the first of a flurry: it waits as long as its repository wishes. Whoever asks in person does not. */
function debounced(result: Received, { waits }: Store, now: number): Received {
  if (result.kind !== "review" || result.trigger !== "synchronize") return result;
  return { ...result, notBefore: now + (waits.of(result.repo) ?? PUSH_WAIT_MS) };
}

/** What people may have done and said is learnt beside whatever else the delivery asks. */
function withUpkeep(
  result: Received,
  learning: readonly UpkeepJob[],
): { readonly result: Received; readonly beside: readonly UpkeepJob[] } {
  if (learning.length === 0) return { result, beside: [] };
  if (result.kind !== "ignored") return { result, beside: learning };
  return { result: { kind: "upkeep", delivery: result.delivery, jobs: learning }, beside: [] };
}

function hasWorker(result: Received): result is Extract<Received, { kind: keyof Workers }> {
  return result.kind === "review" || result.kind === "command" || result.kind === "upkeep";
}

function logDelivery(log: Logger, event: string, result: Received, isNew: boolean): void {
  log.info({ ...told(result), event, kind: isNew ? result.kind : "seen before" }, "delivery");
}

/** A delivery for the log: of a comment who and what kind, not its words. */
function told(result: Received): Readonly<Record<string, unknown>> {
  const { kind: _, ...rest } = result;
  if (result.kind === "upkeep") return { ...rest, jobs: result.jobs.map(({ key }) => key).slice(0, LOGGED_JOBS) };
  if (result.kind !== "command") return rest;
  const { command, comment, pull: __, ...known } = result;
  return { ...known, command: command.kind === "verb" ? command.verb : command.kind, by: comment.author.id };
}

/** A delivery can name thousands of repositories. */
const LOGGED_JOBS = 20;

function isDelivery({ method, url, headers }: IncomingMessage, { webhookPath }: DoorSettings): boolean {
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
