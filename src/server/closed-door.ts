// While Kodiai does not serve, because its store cannot be used or something it needs is waited for: both ports listen and say so.
// GitHub writes down each delivery as failed, and they come again later.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import manifest from "../../package.json" with { type: "json" };
import { appMetrics } from "./metrics.ts";
import { closeServer, listening, urlOf } from "./webhook-server.ts";

interface At {
  readonly host: string;
  readonly port: number;
}

export interface Ports extends At {
  /** Where whoever runs Kodiai asks. */
  readonly admin?: At | null;
}

/** Why it does not serve, as fragments of sentences. */
export interface WhyClosed {
  /** For strangers. */
  readonly reason: string;
  /** Besides, on the admin port. */
  readonly detail: string;
}

export interface ClosedDoors {
  readonly url: string;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/**
 * Listens. `/healthz` answers 200 on both ports, since a process that is started again would fare no better; the admin port's
 * `/metrics` says `kodiai_ready 0`; everything else is answered with 503 and the reason.
 *
 * @param why asked for each answer
 * @throws Error when a port is taken
 */
export async function closedDoors({ admin, ...at }: Ports, why: () => WhyClosed): Promise<ClosedDoors> {
  const open = await startWebhookServer(at, async (path) => (path === "/healthz" ? ALIVE : notServing([why().reason])));
  const other = admin ? await startWebhookServer(admin, (path) => adminAnswer(path, why())) : null;
  return {
    url: open.url,
    async close() {
      await Promise.all([open.close(), other?.close()]);
    },
  };
}

async function adminAnswer(path: string, { reason, detail }: WhyClosed): Promise<Answer> {
  if (path === "/healthz") return ALIVE;
  if (path === "/metrics") return figures();
  return notServing([detail, reason]);
}

/** Only what is known without a store. */
async function figures(): Promise<Answer> {
  const metrics = appMetrics(manifest.version);
  const text = await metrics.text({
    ready: false,
    rssBytes: process.memoryUsage.rss(),
    uptimeSeconds: process.uptime(),
  });
  return { status: 200, type: metrics.contentType, text };
}

const ALIVE = json(200, { ok: true });

function notServing(reasons: readonly string[]): Answer {
  return json(503, { ok: false, reasons });
}

function json(status: number, body: object): Answer {
  return { status, type: "application/json", text: JSON.stringify(body) };
}

async function startWebhookServer(at: At, answerOf: (path: string) => Promise<Answer>): Promise<ClosedDoors> {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    void answerOf(request.url?.split("?")[0] ?? "").then(({ status, type, text }) => {
      // What is sent is not read, so the connection ends with it.
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
