// Joins ports for the dashboard: everything that the store holds to be read, and of what changes it the few safe acts.
import { randomBytes } from "node:crypto";
import manifest from "../../package.json" with { type: "json" };
import type { DashboardPorts } from "../dashboard/dashboard-ports.ts";
import type { Health } from "../dashboard/overview.ts";
import type { RetrievalLog } from "../ports/memory.ts";
import { type Reading, redact, withoutSecretsKept } from "../wire.ts";
import type { Store } from "./store.ts";

/** What the running server tells about itself. */
export interface DashboardServer extends Pick<DashboardPorts, "wake" | "onError" | "variables" | "model" | "choices"> {
  readonly readiness: () => Pick<Health, "ready" | "reasons"> | Promise<Pick<Health, "ready" | "reasons">>;
}

export function dashboardPorts(store: Store, { embedder }: Reading, server: DashboardServer): DashboardPorts {
  const { readiness, ...told } = server;
  return {
    ...told,
    viewer: null,
    work: store.work,
    jobs: store.jobs,
    statistics: store.statistics,
    history: store.history,
    endedSessions: store.endedSessions,
    memory: memoryShown(store, embedder, server),
    health: async () => ({
      ...(await readiness()),
      memoryProblem: store.memoryProblem === null ? null : "memory.db could not be opened; `kodiai doctor` tells why",
      warmth: store.warmth(),
      uptimeMs: process.uptime() * 1_000,
      rss: process.memoryUsage.rss(),
    }),
    version: manifest.version,
    now: Date.now,
    random: () => randomBytes(18).toString("base64url"),
  };
}

function memoryShown(
  { shown, past, replays, labels, recall, memory, evidence, decisions, retrievals }: Store,
  embedder: Reading["embedder"],
  { onError }: DashboardServer,
): DashboardPorts["memory"] {
  if (shown === null || past === null || replays === null || embedder === null) return null;
  const log: RetrievalLog = withoutSecretsKept(retrievals, onError);
  return {
    ...{ figures: shown, labels, replays, declined: past, forget: memory.forget },
    search: { embedder, recall, retrievals: log, now: Date.now },
    export: {
      memory,
      recall,
      get space() {
        return embedder.space;
      },
    },
    restoring: { past, evidence, decisions, redact, now: Date.now },
  };
}
