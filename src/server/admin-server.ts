// The operator's HTTP server, on loopback by default: health, readiness, metrics and the dashboard.

import { createServer, type Server } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import { Transient } from "../domain/errors.ts";
import type { Inbox } from "../ports/inbox.ts";
import type { Store } from "../wire/store.ts";
import type { Metrics } from "./metrics.ts";
import type { Maintenance } from "./sweeps/maintenance.ts";
import { json, metricsPage, type Page } from "./sweeps/unavailable-servers.ts";
import type { Committer } from "./take-delivery.ts";
import { listening, type WebhookServer } from "./webhook-server.ts";

export interface JobFigures {
  /** Why no job runs, as the fragment of a sentence; null when all is well. */
  readonly problem: () => string | null;
  /** Resident memory of the worker process; 0 without one. */
  readonly workerBytes: () => number;
}

interface AdminSettings {
  readonly host: string;
  readonly port: number;
  readonly maintenance: Pick<Maintenance, "damage" | "notes">;
  readonly failedAgo: Committer["failedAgo"];
  /** See answerClock. */
  readonly sinceAnsweredMs: () => number | null;
  readonly running: JobFigures;
  readonly others: (readiness: () => Promise<Readiness>) => (request: Request) => Promise<Response>;
}

/** Starts the server, on a free port for 0. Throws when the port is in use. */
export async function startAdminServer(
  webhookServer: WebhookServer,
  store: Store,
  metrics: Pick<Metrics, "set" | "text" | "contentType">,
  { others, maintenance, failedAgo, sinceAnsweredMs, running, ...at }: AdminSettings,
): Promise<Server> {
  const lag = monitorEventLoopDelay({ resolution: 10 });
  lag.enable();
  const readiness = readinessCheck({
    inbox: store.inbox,
    isDraining: webhookServer.isDraining,
    failedAgo,
    damage: maintenance.damage,
    jobs: running.problem,
    memory: () => ({ used: process.memoryUsage.rss() + running.workerBytes(), most: memoryLimit() }),
    now: Date.now,
  });
  const counts = soonCounted(store.queue.counts);
  const pages = new Map<string, () => Promise<Page>>([
    ["/healthz", async () => json(200, { ok: true, jobs: await counts() })],
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
        const progress = await store.signs.progress(Date.now());
        const seconds = (ms: number | null) => (ms ?? Number.NaN) / 1_000;
        for (const [state, jobs] of Object.entries(await store.queue.counts()))
          metrics.set("kodiai_jobs", { state }, jobs);
        for (const [lane, ms] of Object.entries(progress.oldestWaitingMs))
          metrics.set("kodiai_oldest_waiting_job_seconds", { lane }, ms / 1_000);
        metrics.set("kodiai_since_posted_review_seconds", {}, seconds(progress.sincePostedMs));
        metrics.set("kodiai_since_github_answer_seconds", {}, seconds(sinceAnsweredMs()));
        metrics.set("kodiai_refused_installations", {}, progress.refusedInstallations);
        metrics.set("kodiai_body_bytes", {}, webhookServer.heldBytes());
        metrics.set("kodiai_event_loop_lag_seconds", {}, lag.percentile(99) / 1e9);
        lag.reset();
        metrics.set("kodiai_worker_resident_memory_bytes", {}, running.workerBytes() || Number.NaN);
        return metricsPage(metrics, (await readiness()).ready);
      },
    ],
  ]);
  const rest = getRequestListener(others(readiness), { overrideGlobalObjects: false });
  const server = createServer(async (request, response) => {
    const page = pages.get(request.url?.split("?")[0] ?? "");
    if (page === undefined) return rest(request, response);
    const unread = () => json(503, { ok: false, reasons: ["the store cannot be read"] });
    const missing = { status: 404, type: "text/plain", text: "" };
    const { status, type, text } = request.method === "GET" ? await page().catch(unread) : missing;
    response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(text);
  });
  server.on("close", () => lag.disable());
  await listening(server, at);
  return server;
}

/** How long a probe waits for the store, which may be held up by a lock of the worker process. */
const COUNT_MS = 20;

/** The count, or the last one where the store is slow. Rejects when the store cannot be read. */
function soonCounted(count: Store["queue"]["counts"]): Store["queue"]["counts"] {
  let last: Awaited<ReturnType<typeof count>> | null = null;
  return async () => {
    const now = count().then((jobs) => {
      last = jobs;
      return jobs;
    });
    return last === null ? now : Promise.race([now, sleep(COUNT_MS, last, { ref: false })]);
  };
}

/** The container's memory limit in bytes; without one Node reports a huge number. */
function memoryLimit(): number | null {
  const bytes = process.constrainedMemory();
  return bytes > 0 && bytes < 2 ** 50 ? bytes : null;
}

// Readiness: whether a delivery could be stored now, with every reason against it.

interface Readiness {
  readonly ready: boolean;
  /** Fragments of sentences; empty when ready. */
  readonly reasons: readonly string[];
}

interface ReadinessParts {
  readonly inbox: Pick<Inbox, "probe">;
  readonly isDraining: () => boolean;
  /** Milliseconds since a delivery could not be stored; null when one was stored since. */
  readonly failedAgo: () => number | null;
  readonly damage: () => string | null;
  /** Why no job runs; null when all is well. */
  readonly jobs: () => string | null;
  /** Bytes in use, and their limit; null without one. */
  readonly memory: () => { readonly used: number; readonly most: number | null };
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Caches the answer for so long, because each probe writes to disk. */
const PROBE_MS = 1_000;
/** Maximum wait for the store: an orchestrator's probe times out after a second. */
const ANSWER_MS = 500;
/** As long as the webhook server tries to store a delivery. */
const LOCKED_MS = 5_000;
/** A failed delivery counts for so long: the probe's small row may still fit on a full disk. */
const FAILURE_MS = 10_000;
const FAILED = "the last delivery could not be stored";
/** Share of the memory limit; beyond it the system will soon kill the process. */
const MOST_MEMORY = 0.95;

/** @returns the check, which never rejects */
export function readinessCheck(parts: ReadinessParts): () => Promise<Readiness> {
  const { inbox, isDraining, failedAgo, damage, jobs, memory, now } = parts;
  let probedAt = Number.NEGATIVE_INFINITY;
  let lockedSince: number | null = null;
  let problem: string | null = null;
  let probing: Promise<void> | null = null;

  function probeOnce(): Promise<void> {
    if (probing === null && Math.abs(now() - probedAt) >= PROBE_MS) {
      probedAt = now();
      probing = probe().finally(() => {
        probing = null;
      });
    }
    return probing ?? Promise.resolve();
  }

  async function probe(): Promise<void> {
    const error = await inbox.probe(now()).then(
      () => null,
      (cause: unknown) => cause,
    );
    lockedSince = error instanceof Transient ? (lockedSince ?? probedAt) : null;
    if (lockedSince === null) problem = error === null ? null : "the store cannot be written";
    // Short locks are normal, for example by the command line.
    else if (probedAt - lockedSince >= LOCKED_MS) problem = waitReason(error);
  }

  function storeProblem(): string | null {
    if (problem !== null) return problem;
    // The probe neither succeeded nor failed.
    if (probing !== null && now() - probedAt >= LOCKED_MS) return "the store does not answer";
    return (failedAgo() ?? FAILURE_MS) < FAILURE_MS ? FAILED : null;
  }

  return async () => {
    await Promise.race([probeOnce(), sleep(ANSWER_MS, null, { ref: false })]);
    const { used, most } = memory();
    const inStore = storeProblem();
    const reasons = [
      ...(isDraining() ? ["the process is stopping"] : []),
      ...(inStore === null ? [] : [inStore]),
      ...[damage() ?? []].flat(),
      ...[jobs() ?? []].flat(),
      ...(most !== null && used > most * MOST_MEMORY ? ["the process is near its memory limit"] : []),
    ];
    return { ready: reasons.length === 0, reasons };
  };
}

/** Another process locks a file; a database gives its own reason. */
function waitReason(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  return message === "" || /locked/.test(message) ? "the store is locked" : `the store cannot be asked: ${message}`;
}
