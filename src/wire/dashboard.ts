// Wires the dashboard: it reads the store, changes it by a few safe actions, and offers a login.

import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import manifest from "../../package.json" with { type: "json" };
import { quietOctokit } from "../adapters/github/quiet-octokit.ts";
import { githubVisitors, githubWriters } from "../adapters/github/read/login.ts";
import type { Env } from "../config/environment/env.ts";
import { LOGIN_CALLBACK } from "../config/environment/github-address.ts";
import { dashboard } from "../dashboard/dashboard.ts";
import type { DashboardPorts, Health } from "../dashboard/dashboard-ports.ts";
import type { DecidePorts } from "../flows/people/weigh-evidence.ts";
import type { GitHubLogin } from "../ports/login.ts";
import type { Embedder } from "../ports/memory.ts";
import { egressTo } from "./egress.ts";
import { redact, registerSecrets, safeRetrievals } from "./secrets.ts";
import type { Store } from "./store.ts";

interface Running extends Pick<DashboardPorts, "wake"> {
  readonly readiness: () => Pick<Health, "ready" | "reasons"> | Promise<Pick<Health, "ready" | "reasons">>;
}

interface DashboardSettings extends Pick<Env, "githubHost" | "model"> {
  readonly apiUrl: string;
  readonly dashboardToken?: Env["dashboardToken"];
  readonly dashboardLogin?: Env["dashboardLogin"];
  readonly log: Logger;
}

export function wiredDashboard(options: DashboardSettings, store: Store, embedder: Embedder | null, running: Running) {
  const { dashboardToken = null, dashboardLogin = null, githubHost, apiUrl } = options;
  const access = {
    token: dashboardToken,
    clientSecret: dashboardLogin?.clientSecret ?? null,
    github: dashboardLogin === null ? null : githubLogin(dashboardLogin, { host: githubHost, apiUrl }),
  };
  const { model, log } = options;
  const { readiness, wake } = running;
  const onError = (error: unknown) => log.warn({ err: error }, "a dashboard page failed");
  return dashboard(access, {
    wake,
    onError,
    github: { host: githubHost, webUrl: webUrlOf(apiUrl) },
    model: model?.names.main ?? null,
    viewer: null,
    work: store.work,
    jobs: store.jobs,
    statistics: store.statistics,
    history: store.history,
    endedSessions: store.endedSessions,
    memory: memoryShown(store, embedder, running, onError),
    health: async () => ({
      ...(await readiness()),
      memoryProblem: store.memoryProblem === null ? null : "memory.db could not be opened; `kodiai doctor` shows why",
    }),
    version: manifest.version,
    now: Date.now,
    random: () => randomBytes(18).toString("base64url"),
  });
}

function memoryShown(
  { shown, past, labels, recall, memory, evidence, retrievals, ...store }: Store,
  embedder: Embedder | null,
  { wake }: Running,
  onError: DashboardPorts["onError"],
): DashboardPorts["memory"] {
  if (shown === null || past === null || embedder === null) return null;
  const { decisions, ledger: records, queue } = store;
  const { checks: checkStore } = store.held(null);
  const jobs: DecidePorts["jobs"] = {
    async add(job, at) {
      await queue.add(job, at);
      wake();
    },
  };
  const deciding = { evidence, decisions, checkStore, records, jobs, redact, now: Date.now };
  const log = safeRetrievals(retrievals, onError);
  return { figures: shown, labels, declined: past, memory, recall, embedder, retrievals: log, deciding };
}

/** @param at `host` is github.com or an Enterprise Server, `apiUrl` the base of its REST API */
function githubLogin(
  { clientId, clientSecret, origin }: NonNullable<Env["dashboardLogin"]>,
  { host, apiUrl }: { readonly host: string; readonly apiUrl: string },
): GitHubLogin {
  registerSecrets(clientSecret);
  const webUrl = webUrlOf(apiUrl);
  const apiFetch = egressTo(apiUrl);
  const clientOf = (token: string) => quietOctokit(apiUrl, apiFetch, { auth: token });
  const pages = { webUrl, webFetch: egressTo(webUrl), callbackUrl: origin + LOGIN_CALLBACK };
  return {
    origin,
    ...githubVisitors({ clientId, clientSecret, ...pages, clientOf }),
    ...githubWriters(clientOf, host, Date.now),
  };
}

/** `https://api.github.com` → `https://github.com`; `https://HOST/api/v3` → `https://HOST`. */
function webUrlOf(apiUrl: string): string {
  const { protocol, host } = new URL(apiUrl);
  return `${protocol}//${host.replace(/^api\./, "")}`;
}
