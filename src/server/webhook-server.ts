// The public port, with its limits. A request is refused as early as it can be, by path, type, headers, size and signature, before
// anything of it is parsed. What is signed is Probot's, and is answered with 202 when its handler has committed it.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Probot } from "probot";
import type { Metrics } from "./metrics.ts";
import { type Body, bodyReader, MOST_BODY_BYTES, stopReading } from "./read-body.ts";
import type { ProbotEvent } from "./take-delivery.ts";
import { type FormerSecret, looksSigned, verifySignature } from "./verify-signature.ts";

export interface WebhookSettings {
  readonly webhookPath: string;
  readonly webhookSecret: string;
  /** null or absent: there is no other secret. */
  readonly formerSecret?: FormerSecret | null;
  readonly counted: Pick<Metrics, "answered">;
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
}

/** The public port, open. */
export interface WebhookServer {
  readonly server: Server;
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
 * @param probot its handler rejects what must come again
 * @throws Error when the port is taken
 */
export async function startWebhookServer(probot: Probot, settings: WebhookSettings): Promise<WebhookServer> {
  const bodies = bodyReader();
  const running = new Set<Promise<void>>();
  let isDraining = false;

  function answerDelivery(request: IncomingMessage, response: ServerResponse): void {
    const since = performance.now();
    const reply = (status: number) => {
      settings.counted.answered(status, performance.now() - since);
      answer(request, response, status, ANSWERS.get(status) ?? "");
    };
    const refusal = isDraining ? 503 : refusalOf(request);
    if (refusal !== null) reply(refusal);
    else
      bodies.read(request, (body) => {
        if (body.kind === "gone") return;
        const event = isDraining ? 503 : readDelivery(request, body, settings);
        if (typeof event === "number") reply(event);
        else take(event, reply);
      });
  }

  function take(event: ProbotEvent, reply: (status: number) => void): void {
    const answered = probot
      .receive(event)
      .then(
        () => reply(202),
        () => reply(503),
      )
      .finally(() => running.delete(answered));
    running.add(answered);
  }

  const server = createServer({ ...LIMITS, connectionsCheckingInterval: LOOK_MS }, (request, response) => {
    if (isHealth(request)) answer(request, response, 200, "ok");
    else if (isDelivery(request, settings.webhookPath)) answerDelivery(request, response);
    else answer(request, response, 404, "");
  });
  server.setTimeout(IDLE_MS);
  server.maxConnections = MOST_CONNECTIONS;
  await listening(server, settings);
  return {
    server,
    heldBytes: bodies.held,
    isDraining: () => isDraining,
    async drain() {
      isDraining = true;
      await Promise.all(running);
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

/** By these names Probot looks handlers up, and `error` has those that log what they are given. */
const EVENT = /^(?!error$)[a-z][a-z0-9_]{0,99}$/;

/** What can be told from the headers alone; null when the body is needed. */
function refusalOf({ headers }: IncomingMessage): number | null {
  const type = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json" || (headers["content-encoding"] ?? "identity") !== "identity") return 415;
  if (Number(headers["content-length"] ?? 0) > MOST_BODY_BYTES) return 413;
  if (!looksSigned(one(headers["x-hub-signature-256"]))) return 401;
  const isNamed = DELIVERY_ID.test(one(headers["x-github-delivery"]) ?? "");
  return isNamed && EVENT.test(one(headers["x-github-event"]) ?? "") ? null : 400;
}

/** What Probot receives, or the status of the refusal. */
function readDelivery(
  { headers }: IncomingMessage,
  body: Exclude<Body, { readonly kind: "gone" }>,
  { webhookSecret: secret, formerSecret: former = null }: WebhookSettings,
): ProbotEvent | number {
  if (body.kind !== "whole") return body.kind === "large" ? 413 : 503;
  const signature = one(headers["x-hub-signature-256"]) ?? "";
  if (!verifySignature(signature, body.chunks, { secret, former }, Date.now())) return 401;
  const payload = parsed(body.chunks);
  if (payload === null) return 400;
  // Probot joins the action to a name, which not every object allows.
  const safe = typeof payload.action === "object" ? { ...payload, action: null } : payload;
  return { id: one(headers["x-github-delivery"]), name: one(headers["x-github-event"]), payload: safe } as ProbotEvent;
}

/** Null when it is not a JSON object. */
function parsed(body: readonly Buffer[]): Readonly<Record<string, unknown>> | null {
  try {
    const value = JSON.parse(Buffer.concat(body).toString("utf8"));
    return typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

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
