// Where deliveries come in: the public port, with its limits. A request is refused as early as it can be, by path, type, headers,
// signature and size, before anything of it is parsed. What is answered with 202 is on disk.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Probot } from "probot";
import type { Store } from "../wire/store.ts";
import type { Worker } from "../worker.ts";
import type { Metrics } from "./metrics.ts";
import { type Body, type BodyReader, bodyReader, MOST_BODY_BYTES, stopReading } from "./read-body.ts";
import { committer, type Reception, type Signed, type Taken, takeDelivery } from "./take-delivery.ts";
import { type FormerSecret, looksSigned, verifySignature } from "./verify-signature.ts";

/** One for each lane of the queue. */
export type Workers = Readonly<Record<"review" | "command" | "upkeep", Worker>>;

export interface WebhookSettings extends Reception {
  readonly webhookPath: string;
  readonly webhookSecret: string;
  /** null or absent: there is no other secret. */
  readonly formerSecret?: FormerSecret | null;
  /** Told of deliveries and answers. */
  readonly counted: Pick<Metrics, "answered" | "took">;
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
}

/** The public port, open. */
export interface WebhookServer {
  readonly server: Server;
  /** Milliseconds since the last delivery could not be kept; null when one could since. */
  failedAgo(): number | null;
  /** Bytes of bodies that are coming in. */
  heldBytes(): number;
  isDraining(): boolean;
  /** From now on every delivery is answered with 503. Resolves when those that came before are answered. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** GitHub waits 10 s for an answer, and nobody is given longer to ask. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 15_000, keepAliveTimeout: 5_000 };

/** How often Node looks whether one of them has passed; by itself it looks every 30 s. */
const LOOK_MS = 1_000;

/** A connection on which nothing moves. An answer takes 5 s at most. */
const IDLE_MS = 10_000;

/** Connections at a time; more are cut before they say anything. */
const MOST_CONNECTIONS = 1_000;

/** What is still open then is cut. */
const CLOSE_MS = 1_000;

/**
 * Listens for deliveries.
 *
 * @throws Error when the port is taken
 */
export async function startWebhookServer(
  probot: Probot,
  store: Store,
  workers: Workers,
  settings: WebhookSettings,
): Promise<WebhookServer> {
  const { counted } = settings;
  const bodies = bodyReader();
  const commits = committer(store.inbox);
  let isDraining = false;
  const wake = () => {
    for (const worker of Object.values(workers)) worker.wake();
  };
  await probot.load((app) => app.onAny(wake));
  const answers = ingress({
    webhookPath: settings.webhookPath,
    webhookSecret: settings.webhookSecret,
    formerSecret: settings.formerSecret ?? null,
    bodies,
    take: (signed) => takeDelivery(signed, { probot, store, commits, counted, wake, reception: settings }),
    isDraining: () => isDraining,
    onAnswer: counted.answered,
  });
  const server = createServer({ ...LIMITS, connectionsCheckingInterval: LOOK_MS }, answers);
  server.setTimeout(IDLE_MS);
  server.maxConnections = MOST_CONNECTIONS;
  await listening(server, settings);
  return {
    server,
    failedAgo: commits.failedAgo,
    heldBytes: bodies.held,
    isDraining: () => isDraining,
    async drain() {
      isDraining = true;
      await commits.idle();
    },
    close: () => closeServer(server),
  };
}

/** @throws Error when the port is taken */
export function listening(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** Where a server that listens can be asked. */
export function urlOf(server: Server): string {
  const { address, port } = server.address() as AddressInfo;
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
}

/** Whoever is being answered is answered to the end; whoever only holds a connection does not hold up the process. */
export async function closeServer(server: Server): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(cut);
}

export interface IngressSettings {
  readonly webhookPath: string;
  readonly webhookSecret: string;
  /** null: there is no other secret. */
  readonly formerSecret: FormerSecret | null;
  readonly bodies: BodyReader;
  /** Takes what is signed; a rejection is answered with 503. */
  readonly take: (signed: Signed) => Promise<Taken>;
  readonly isDraining: () => boolean;
  /** Told once about each answer to a delivery, with the milliseconds that it took. */
  readonly onAnswer: (status: number, ms: number) => void;
}

const ANSWERS: ReadonlyMap<number, string> = new Map([
  [202, "accepted"],
  [400, "not a delivery: X-GitHub-Delivery, X-GitHub-Event and a JSON object are needed"],
  [401, "the signature does not match"],
  [413, `a delivery has at most ${MOST_BODY_BYTES} bytes`],
  [415, "deliveries are application/json: set it as the content type of the webhook"],
  [503, "not now: deliver it again later"],
]);

/** Printable and short; GitHub's are GUIDs. */
const DELIVERY_ID = /^[\x21-\x7e]{1,100}$/;

const EVENT = /^[\w.-]{1,100}$/;

/** @returns what answers requests; it never throws */
export function ingress(settings: IngressSettings): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    if (isHealth(request)) answer(request, response, 200, "ok");
    else if (isDelivery(request, settings.webhookPath)) answerDelivery(request, response, settings);
    else answer(request, response, 404, "");
  };
}

function answerDelivery(request: IncomingMessage, response: ServerResponse, settings: IngressSettings): void {
  const since = performance.now();
  const reply = (status: number) => {
    settings.onAnswer(status, performance.now() - since);
    answer(request, response, status, ANSWERS.get(status) ?? "");
  };
  const refusal = settings.isDraining() ? 503 : refusalOf(request);
  if (refusal !== null) reply(refusal);
  else settings.bodies.read(request, (body) => takeBody(request, body, settings, reply));
}

/** What can be told from the headers alone; null when the body is needed. */
function refusalOf({ headers }: IncomingMessage): number | null {
  const type = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json" || (headers["content-encoding"] ?? "identity") !== "identity") return 415;
  if (Number(headers["content-length"] ?? 0) > MOST_BODY_BYTES) return 413;
  if (!looksSigned(one(headers["x-hub-signature-256"]))) return 401;
  const isNamed = DELIVERY_ID.test(one(headers["x-github-delivery"]) ?? "");
  return isNamed && EVENT.test(one(headers["x-github-event"]) ?? "") ? null : 400;
}

function takeBody(
  { headers }: IncomingMessage,
  body: Body,
  { webhookSecret: secret, formerSecret: former, take }: IngressSettings,
  reply: (status: number) => void,
): void {
  if (body.kind === "gone") return;
  const signature = one(headers["x-hub-signature-256"]) ?? "";
  if (body.kind !== "whole") reply(body.kind === "large" ? 413 : 503);
  else if (!verifySignature(signature, body.chunks, { secret, former }, Date.now())) reply(401);
  else {
    const id = one(headers["x-github-delivery"]) ?? "";
    const event = one(headers["x-github-event"]) ?? "";
    take({ id, event, body: body.chunks }).then(
      (taken) => reply(STATUS[taken]),
      () => reply(503),
    );
  }
}

const STATUS: Readonly<Record<Taken, number>> = { kept: 202, busy: 503, malformed: 400 };

function isDelivery({ method, url }: IncomingMessage, webhookPath: string): boolean {
  return method === "POST" && pathOf(url).replace(/\/{1,10}$/, "") === webhookPath;
}

function isHealth({ method, url }: IncomingMessage): boolean {
  return method === "GET" && pathOf(url) === "/healthz";
}

function pathOf(url: string | undefined): string {
  return (url ?? "").split("?")[0] ?? "";
}

function one(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === "string" ? header : undefined;
}

/**
 * How long a refused sender is given to read why, before the connection is cut. Who reads it closes at once; who floods is
 * held here, unread, where a connection costs least: each new one costs more.
 */
const LINGER_MS = 4_000;

/** Of the thousand connections that the port takes: nobody sees that one of these was closed, so they must leave room. */
const MOST_HELD = 400;

/** Said with 503, to whoever heeds it: floods and full disks do not pass at once. */
const RETRY_AFTER_S = 30;

/** A rest of so many bytes is read and thrown away, so that nobody needs to be cut. */
const SMALL_BYTES = 64 * 1024;

function answer(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  if (response.headersSent || response.destroyed) return;
  const isTaken = status === 200 || status === 202;
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    // What was not read must not be taken for the next request.
    ...(isTaken ? {} : { connection: "close" }),
    ...(status === 503 ? { "retry-after": String(RETRY_AFTER_S) } : {}),
  });
  if (isTaken || request.complete || !hasBody(request)) {
    response.end(text);
    return;
  }
  response.write(text);
  linger(response);
  const isSmall = Number(request.headers["content-length"] ?? Number.POSITIVE_INFINITY) <= SMALL_BYTES;
  if (isSmall) request.once("end", () => response.end()).resume();
  else stopReading(request);
}

/** Answers whose connection is still held, the oldest first. */
const held = new Set<() => void>();

/** Ends the answer after a while, or when too many others came after it. */
function linger(response: ServerResponse): void {
  const end = () => {
    held.delete(end);
    clearTimeout(timer);
    if (!response.writableEnded) response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  held.add(end);
  response.once("close", end);
  for (const oldest of held) if (held.size > MOST_HELD) oldest();
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) !== 0;
}
