// Joins ports for the dashboard: everything that the store holds to be read, of what changes it the few safe acts, and its login.

import { randomBytes } from "node:crypto";
import manifest from "../../package.json" with { type: "json" };
import { githubVisitors, visitorClient } from "../adapters/github/visitor.ts";
import { githubWriters } from "../adapters/github/writers.ts";
import { LOGIN_CALLBACK } from "../config/github-address.ts";
import type { DashboardPorts } from "../dashboard/dashboard-ports.ts";
import type { Health } from "../dashboard/overview.ts";
import type { GitHubLogin } from "../ports/login.ts";
import type { RetrievalLog } from "../ports/memory.ts";
import { egressTo } from "./egress.ts";
import type { Reading } from "./job-ports.ts";
import { redact, registerSecrets, safeRetrievals } from "./secrets.ts";
import type { Store } from "./store.ts";

/** What the running server knows about itself. */
export interface DashboardServer
  extends Pick<DashboardPorts, "wake" | "onError" | "variables" | "model" | "choices" | "github"> {
  readonly readiness: () => Pick<Health, "ready" | "reasons"> | Promise<Pick<Health, "ready" | "reasons">>;
}

export function dashboardPorts(store: Store, { embedder }: Reading, server: DashboardServer): DashboardPorts {
  const { readiness, ...given } = server;
  return {
    ...given,
    viewer: null,
    work: store.work,
    jobs: store.jobs,
    statistics: store.statistics,
    history: store.history,
    endedSessions: store.endedSessions,
    memory: memoryShown(store, embedder, server),
    health: async () => ({
      ...(await readiness()),
      memoryProblem: store.memoryProblem === null ? null : "memory.db could not be opened; `kodiai doctor` says why",
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
  const log: RetrievalLog = safeRetrievals(retrievals, onError);
  return {
    figures: shown,
    labels,
    replays,
    declined: past,
    forget: memory.forget,
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

/** The client of the GitHub App, and where people reach the dashboard. */
export interface LoginChoice {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Without a slash at the end. */
  readonly origin: string;
}

/** @param at `host` is github.com or a GitHub Enterprise Server's, `apiUrl` the base address of its REST API */
export function githubLogin(
  { clientId, clientSecret, origin }: LoginChoice,
  { host, apiUrl }: { readonly host: string; readonly apiUrl: string },
): GitHubLogin {
  registerSecrets(clientSecret);
  const webUrl = webUrlOf(apiUrl);
  const callbackUrl = origin + LOGIN_CALLBACK;
  const api = { apiUrl, apiFetch: egressTo(apiUrl) };
  return {
    origin,
    ...githubVisitors({
      clientId,
      clientSecret,
      callbackUrl,
      webUrl,
      webFetch: egressTo(webUrl),
      ...api,
    }),
    ...githubWriters({ clientOf: (token) => visitorClient(token, api), host, now: Date.now }),
  };
}

/** Of `https://api.github.com` it is `https://github.com`; of `https://HOST/api/v3` it is `https://HOST`. */
export function webUrlOf(apiUrl: string): string {
  const { protocol, host } = new URL(apiUrl);
  return `${protocol}//${host.replace(/^api\./, "")}`;
}
