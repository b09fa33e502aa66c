// While its store is unusable, or a dependency does not answer, both ports answer 503. GitHub logs
// each delivery as failed, and the missed-event sweep makes up for it.
import { createServer } from "node:http";
import manifest from "../../../package.json" with { type: "json" };
import { appMetrics, type Metrics } from "../metrics.ts";
import { closeServer, listening, urlOf } from "../webhook-server.ts";

interface At {
  readonly host: string;
  readonly port: number;
}

export interface Ports extends At {
  readonly admin?: At | null;
}

export interface Page {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/**
 * Listens. `/healthz` answers 200 on both ports: a restart would not help. `/metrics` of the admin
 * port has `kodiai_ready 0`; any other path answers 503 with the reason.
 *
 * @param why fragments of sentences for each answer; `detail` is for the admin port only
 * @throws Error when a port is in use
 */
export async function unavailableServers(
  { admin, ...at }: Ports,
  why: () => Readonly<Record<"reason" | "detail", string>>,
) {
  const open = await startServer(at, async (path) => (path === "/healthz" ? ALIVE : refusal(why().reason)));
  const other = admin
    ? await startServer(admin, async (path) => {
        if (path === "/healthz") return ALIVE;
        const { reason, detail } = why();
        if (path !== "/metrics") return refusal(detail, reason);
        return metricsPage(appMetrics(manifest.version), false);
      })
    : null;
  return {
    url: open.url,
    async close(): Promise<void> {
      await Promise.all([open.close(), other?.close()]);
    },
  };
}

const ALIVE = json(200, { ok: true });

function refusal(...reasons: readonly string[]): Page {
  return json(503, { ok: false, reasons });
}

/** `/metrics`, with what needs no store. */
export async function metricsPage(
  metrics: Pick<Metrics, "set" | "text" | "contentType">,
  isReady: boolean,
): Promise<Page> {
  metrics.set("kodiai_ready", {}, isReady ? 1 : 0);
  metrics.set("process_resident_memory_bytes", {}, process.memoryUsage.rss());
  metrics.set("process_uptime_seconds", {}, process.uptime());
  return { status: 200, type: metrics.contentType, text: await metrics.text() };
}

export function json(status: number, body: object): Page {
  return { status, type: "application/json", text: JSON.stringify(body) };
}

async function startServer(at: At, answerOf: (path: string) => Promise<Page>) {
  const limits = { headersTimeout: 10_000, requestTimeout: 30_000 };
  const server = createServer(limits, (request, response) => {
    void answerOf(request.url?.split("?")[0] ?? "").then(({ status, type, text }) => {
      // The request body is not read, so the connection must close.
      const headers = { "content-type": type, "cache-control": "no-store", connection: "close" };
      response.writeHead(status, headers).end(text);
      request.resume();
    });
  });
  await listening(server, at);
  return { url: urlOf(server), close: () => closeServer(server) };
}
