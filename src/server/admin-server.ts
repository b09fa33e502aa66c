// The operator's HTTP server, on loopback by default: health, readiness, metrics and the dashboard.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { getRequestListener } from "@hono/node-server";
import type { Store } from "../wire/store.ts";
import type { Metrics } from "./metrics.ts";
import { type Readiness, readinessCheck } from "./readiness.ts";
import type { Maintenance } from "./sweeps/maintenance.ts";
import { json, type Page } from "./sweeps/unavailable-servers.ts";
import type { Committer } from "./take-delivery.ts";
import { listening, type WebhookServer } from "./webhook-server.ts";

export interface AdminSettings {
  readonly host: string;
  readonly port: number;
  readonly maintenance: Pick<Maintenance, "damage" | "notes">;
  readonly failedAgo: Committer["failedAgo"];
  /** See answerClock. */
  readonly sinceAnsweredMs: () => number | null;
  /** Handles every other path, given the readiness check. */
  readonly others: (readiness: () => Promise<Readiness>) => (request: Request) => Promise<Response>;
}

type Answering = () => Promise<Page>;

/**
 * Starts the server.
 *
 * @param at port 0 takes a free one
 * @returns the server, listening
 * @throws Error when the port is in use
 */
export async function startAdminServer(
  door: WebhookServer,
  store: Store,
  metrics: Pick<Metrics, "text" | "contentType">,
  { others, maintenance, failedAgo, sinceAnsweredMs, ...at }: AdminSettings,
): Promise<Server> {
  const lag = monitorEventLoopDelay({ resolution: 10 });
  lag.enable();
  const readiness = readinessCheck({
    inbox: store.inbox,
    isDraining: door.isDraining,
    failedAgo,
    damage: maintenance.damage,
    memory: () => ({ used: process.memoryUsage.rss(), most: memoryLimit() }),
    now: Date.now,
  });
  const pages = new Map<string, Answering>([
    ["/healthz", async () => json(200, { ok: true, jobs: await store.queue.counts(), memory: store.warmth() })],
    [
      "/readyz",
      async () => {
        const [{ ready, reasons }, notes] = [await readiness(), maintenance.notes()];
        return json(ready ? 200 : 503, { ok: ready, reasons, ...(notes.length === 0 ? {} : { notes }) });
      },
    ],
    [
      "/metrics",
      async () => {
        const lagSeconds = lag.percentile(99) / 1e9;
        lag.reset();
        const text = await metrics.text({
          jobs: await store.queue.counts(),
          ...(await store.signs.progress(Date.now())),
          sinceAnsweredMs: sinceAnsweredMs(),
          ready: (await readiness()).ready,
          heldBytes: door.heldBytes(),
          rssBytes: process.memoryUsage.rss(),
          lagSeconds,
          uptimeSeconds: process.uptime(),
        });
        return { status: 200, type: metrics.contentType, text };
      },
    ],
  ]);
  const rest = getRequestListener(others(readiness), { overrideGlobalObjects: false });
  const server = createServer((request, response) => {
    const page = pages.get(request.url?.split("?")[0] ?? "");
    void (page === undefined ? rest(request, response) : answer(request, response, page));
  });
  server.on("close", () => lag.disable());
  await listening(server, at);
  return server;
}

/** Answers 503 when the store cannot be read. */
async function answer({ method }: IncomingMessage, response: ServerResponse, page: Answering): Promise<void> {
  const unread = () => json(503, { ok: false, reasons: ["the store cannot be read"] });
  const missing = { status: 404, type: "text/plain", text: "" };
  const { status, type, text } = method === "GET" ? await page().catch(unread) : missing;
  response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(text);
}

/** The container's memory limit in bytes; without one Node reports a huge number. */
function memoryLimit(): number | null {
  const bytes = process.constrainedMemory();
  return bytes > 0 && bytes < 2 ** 50 ? bytes : null;
}
