// While Kodiai is unavailable, because its store is unusable or it waits for a dependency, both ports answer 503. GitHub logs each
// delivery as failed, and the missed-event sweep requests them again later.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import manifest from "../../../package.json" with { type: "json" };
import { appMetrics } from "../metrics.ts";
import { closeServer, listening, urlOf } from "../webhook-server.ts";

interface At {
  readonly host: string;
  readonly port: number;
}

export interface Ports extends At {
  readonly admin?: At | null;
}

/** Why it is unavailable, as fragments of sentences. */
interface WhyUnavailable {
  /** Public. */
  readonly reason: string;
  /** More detail, for the admin port only. */
  readonly detail: string;
}

/** What a server of the operator answers with. */
export interface Page {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/**
 * Listens. `/healthz` answers 200 on both ports, because a restart would not help; the admin port's `/metrics` reports
 * `kodiai_ready 0`; any other path answers 503 with the reason.
 *
 * @param why called for each answer
 * @throws Error when a port is in use
 */
export async function unavailableServers({ admin, ...at }: Ports, why: () => WhyUnavailable) {
  const open = await startServer(at, async (path) => (path === "/healthz" ? ALIVE : refusal(why().reason)));
  const other = admin
    ? await startServer(admin, async (path) => {
        if (path === "/healthz") return ALIVE;
        const { reason, detail } = why();
        return path === "/metrics" ? figures() : refusal(detail, reason);
      })
    : null;
  return {
    url: open.url,
    async close(): Promise<void> {
      await Promise.all([open.close(), other?.close()]);
    },
  };
}

/** Only the metrics that need no store. */
async function figures(): Promise<Page> {
  const metrics = appMetrics(manifest.version);
  const own = { ready: false, rssBytes: process.memoryUsage.rss(), uptimeSeconds: process.uptime() };
  return { status: 200, type: metrics.contentType, text: await metrics.text(own) };
}

const ALIVE = json(200, { ok: true });

function refusal(...reasons: readonly string[]): Page {
  return json(503, { ok: false, reasons });
}

export function json(status: number, body: object): Page {
  return { status, type: "application/json", text: JSON.stringify(body) };
}

async function startServer(at: At, answerOf: (path: string) => Promise<Page>) {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    void answerOf(request.url?.split("?")[0] ?? "").then(({ status, type, text }) => {
      // The request body is not read, so the connection must close.
      const headers = { "content-type": type, "cache-control": "no-store", connection: "close" };
      response.writeHead(status, headers).end(text);
      request.resume();
    });
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  await listening(server, at);
  return { url: urlOf(server), close: () => closeServer(server) };
}
