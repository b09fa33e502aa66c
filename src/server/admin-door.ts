// The port for whoever runs Kodiai, on loopback unless they say otherwise: how the process is. It only answers GET.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Store } from "../wire/store.ts";
import { type Door, listening } from "./http-door.ts";
import { metricsText } from "./metrics-text.ts";
import { type Readiness, readinessCheck } from "./readiness.ts";

/**
 * Listens for questions about the process.
 *
 * @param at port 0 takes a free one
 * @param damage of the files of the store, as last looked at; null when they are whole
 * @returns the server, listening
 * @throws Error when the port is taken
 */
export async function openAdminDoor(
  door: Door,
  store: Store,
  at: { readonly host: string; readonly port: number },
  damage: () => string | null = () => null,
): Promise<Server> {
  const lag = monitorEventLoopDelay({ resolution: 10 });
  lag.enable();
  const readiness = readinessCheck({
    inbox: store.inbox,
    isDraining: door.isDraining,
    failedAgo: door.failedAgo,
    damage,
    memory: () => ({ used: process.memoryUsage.rss(), most: memoryLimit() }),
    now: Date.now,
  });
  const pages = new Map<string, () => Page>([
    ["/healthz", () => json(200, { ok: true, jobs: store.queue.counts(), memory: store.warmth() })],
    ["/readyz", () => readyPage(readiness())],
    [
      "/metrics",
      () => {
        const lagSeconds = lag.percentile(99) / 1e9;
        lag.reset();
        const text = metricsText({
          counted: door.counted,
          jobs: store.queue.counts(),
          ready: readiness().ready,
          heldBytes: door.heldBytes(),
          rssBytes: process.memoryUsage.rss(),
          lagSeconds,
          uptimeSeconds: process.uptime(),
        });
        return { status: 200, type: "text/plain; version=0.0.4; charset=utf-8", text };
      },
    ],
  ]);
  const server = createServer((request, response) => answer(request, response, pages));
  server.on("close", () => lag.disable());
  await listening(server, at);
  return server;
}

interface Page {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

function answer(
  { method, url }: IncomingMessage,
  response: ServerResponse,
  pages: ReadonlyMap<string, () => Page>,
): void {
  const page = method === "GET" ? pages.get(url?.split("?")[0] ?? "") : undefined;
  const { status, type, text } = page === undefined ? { status: 404, type: "text/plain", text: "" } : shown(page);
  response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(text);
}

/** A store that cannot be read is an answer too. */
function shown(page: () => Page): Page {
  try {
    return page();
  } catch {
    return json(503, { ok: false, reasons: ["the store cannot be read"] });
  }
}

function readyPage({ ready, reasons }: Readiness): Page {
  return json(ready ? 200 : 503, { ok: ready, reasons });
}

function json(status: number, value: object): Page {
  return { status, type: "application/json", text: JSON.stringify(value) };
}

/** What the container allows; a machine without a limit reports an absurd number. */
function memoryLimit(): number | null {
  const bytes = process.constrainedMemory();
  return bytes > 0 && bytes < 2 ** 50 ? bytes : null;
}
