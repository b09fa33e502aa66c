// The public webhook server. It refuses as early as possible: by path, type, headers, size and
// signature, before it parses the body. Probot handles signed deliveries; committed ones get 202.

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Probot } from "probot";
import type { Env } from "../config/environment/env.ts";
import type { AppOptions } from "./app-options.ts";
import type { Metrics } from "./metrics.ts";
import { type Body, bodyReader, MOST_BODY_BYTES, stopReading } from "./read-body.ts";
import type { ProbotEvent } from "./take-delivery.ts";

interface WebhookSettings extends Pick<AppOptions, "webhookPath" | "webhookSecret" | "formerSecret" | "host" | "port"> {
  readonly counted: Pick<Metrics, "answered">;
}

export type WebhookServer = Awaited<ReturnType<typeof startWebhookServer>>;

/** GitHub waits 10 s for an answer, so a request may not take much longer. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 15_000, keepAliveTimeout: 5_000 };

/** How often Node checks these timeouts; its default is 30 s. */
const CHECK_MS = 1_000;

/** Idle timeout of a connection. An answer takes 5 s at most. */
const IDLE_MS = 10_000;

/** Concurrent connections; further ones are closed at once. */
const MOST_CONNECTIONS = 1_000;

/** Connections still open after so long are closed. */
const CLOSE_MS = 1_000;

/** Listens; Probot's handler rejects what must be redelivered. Throws when the port is in use. */
export async function startWebhookServer(probot: Probot, settings: WebhookSettings) {
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
        if (body.kind === "aborted") return;
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

  const server = createServer({ ...LIMITS, connectionsCheckingInterval: CHECK_MS }, (request, response) => {
    const { method, url = "" } = request;
    const [path = ""] = url.split("?");
    if (method === "GET" && path === "/healthz") answer(request, response, 200, "ok");
    else if (method === "POST" && path.replace(/\/{1,10}$/, "") === settings.webhookPath)
      answerDelivery(request, response);
    else answer(request, response, 404, "");
  });
  server.setTimeout(IDLE_MS);
  server.maxConnections = MOST_CONNECTIONS;
  await listening(server, settings);
  return {
    server,
    heldBytes: bodies.held,
    isDraining: () => isDraining,
    /** Answers new deliveries with 503; resolves when earlier ones are answered. */
    async drain(): Promise<void> {
      isDraining = true;
      await Promise.all(running);
    },
    close: () => closeServer(server),
  };
}

/** @throws Error when the port is in use */
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

/** The URL of a listening server. */
export function urlOf(server: Server): string {
  const { address, port } = server.address() as AddressInfo;
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
}

/** Lets in-flight responses finish, and closes idle connections. */
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
  [503, "temporarily unavailable, please redeliver"],
]);

/** Printable and short; GitHub's are GUIDs. */
const DELIVERY_ID = /^[\x21-\x7e]{1,100}$/;

/** Probot finds handlers by these names; `error` is reserved: its handlers log their argument. */
const EVENT = /^(?!error$)[a-z][a-z0-9_]{0,99}$/;

/** The status of a refusal by headers alone; null when the body is needed. */
function refusalOf({ headers }: IncomingMessage): number | null {
  const type = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json" || (headers["content-encoding"] ?? "identity") !== "identity") return 415;
  if (Number(headers["content-length"] ?? 0) > MOST_BODY_BYTES) return 413;
  if (!SIGNATURE.test(one(headers["x-hub-signature-256"]) ?? "")) return 401;
  const isNamed = DELIVERY_ID.test(one(headers["x-github-delivery"]) ?? "");
  return isNamed && EVENT.test(one(headers["x-github-event"]) ?? "") ? null : 400;
}

function readDelivery(
  { headers }: IncomingMessage,
  body: Exclude<Body, { readonly kind: "aborted" }>,
  { webhookSecret: secret, formerSecret: former = null }: WebhookSettings,
): ProbotEvent | number {
  if (body.kind !== "whole") return body.kind === "large" ? 413 : 503;
  const signature = one(headers["x-hub-signature-256"]) ?? "";
  if (!verifySignature(signature, body.chunks, { secret, former }, Date.now())) return 401;
  const payload = parsed(body.chunks);
  if (payload === null) return 400;
  // Probot concatenates the action, which throws for some objects.
  const safe = typeof payload.action === "object" ? { ...payload, action: null } : payload;
  return { id: one(headers["x-github-delivery"]), name: one(headers["x-github-event"]), payload: safe } as ProbotEvent;
}

function parsed(body: readonly Buffer[]): Readonly<Record<string, unknown>> | null {
  try {
    const value = JSON.parse(Buffer.concat(body).toString("utf8"));
    return typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function one(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === "string" ? header : undefined;
}

/**
 * How long a refused sender may read the answer. A normal client closes at once; a flooding one is
 * kept here, unread: an open connection costs less than new ones.
 */
const LINGER_MS = 4_000;

const MOST_HELD = 400;

/** Retry-After of a 503: floods and full disks take a while to pass. */
const RETRY_AFTER_S = 30;

/** Remaining bodies up to this size are read and discarded: the connection need not be cut. */
const SMALL_BYTES = 64 * 1024;

function answer(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  if (response.headersSent || response.destroyed) return;
  const isTaken = status === 200 || status === 202;
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    // The unread rest must not be parsed as the next request.
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

/** Lingering answers, the oldest first. */
const held = new Set<() => void>();

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

// Verifies GitHub's signature: HMAC-SHA256 over the raw body, compared in constant time.

const SIGNATURE = /^sha256=([0-9a-f]{64})$/;

/** Verifies X-Hub-Signature-256 at `now`, epoch milliseconds. */
export function verifySignature(
  header: string,
  body: readonly Buffer[],
  { secret, former }: { readonly secret: string; readonly former: Env["formerSecret"] },
  now: number,
): boolean {
  const [, digits] = SIGNATURE.exec(header) ?? [];
  if (digits === undefined) return false;
  const signed = Buffer.from(digits, "hex");
  const isCurrent = timingSafeEqual(signed, signatureOf(secret, body));
  if (former === null || now >= former.until) return isCurrent;
  // Both are always compared, so that the timing reveals nothing.
  const isFormer = timingSafeEqual(signed, signatureOf(former.secret, body));
  return isCurrent || isFormer;
}

function signatureOf(secret: string, body: readonly Buffer[]): Buffer {
  const hmac = createHmac("sha256", secret);
  for (const chunk of body) hmac.update(chunk);
  return hmac.digest();
}
