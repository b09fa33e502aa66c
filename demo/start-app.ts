// Starts the real app against the demo's GitHub. Only this file of the demo knows the app's
// options.
import { pino } from "pino";
import { startApp as startRealApp } from "../src/app.ts";
import type { AppOptions as RealOptions } from "../src/server/app-options.ts";

export interface AppOptions {
  readonly apiUrl: string;
  readonly appId: number;
  readonly privateKey: string;
  readonly webhookSecret: string;
  /** An empty folder for the databases; the caller removes it. */
  readonly dataDir: string;
  /** Opens the dashboard; without it the app serves webhooks only. */
  readonly dashboardToken?: string | undefined;
  /** Called with the value that each stage returns. */
  readonly onStep?: RealOptions["onStep"];
}

export interface RunningApp {
  /** Where GitHub sends webhooks. */
  readonly webhookUrl: string;
  /** The dashboard's address; null without a token. */
  readonly dashboardUrl?: string | null;
  close(): Promise<void>;
}

export type StartApp = (options: AppOptions) => Promise<RunningApp>;

const WEBHOOK_PATH = "/api/github/webhooks";

export const startApp: StartApp = async (options) => {
  const app = await startRealApp({
    ...options,
    dashboardToken: options.dashboardToken ?? null,
    admin: options.dashboardToken === undefined ? null : { host: "127.0.0.1", port: 0 },
    webhookPath: WEBHOOK_PATH,
    githubHost: "github.com",
    host: "127.0.0.1",
    port: 0,
    reviewerLogin: null,
    workers: 2,
    inProcess: true,
    dryRun: false,
    embeddings: { kind: "local" },
    model: null,
    // A push would wait for the next one, and the demo with it.
    debounce: false,
    reranker: { kind: "off" },
    // Only the real GitHub needs pauses between writes.
    pace: false,
    log: pino({ level: process.env.LOG_LEVEL ?? "silent" }),
  });
  return { webhookUrl: `${app.url}${WEBHOOK_PATH}`, dashboardUrl: app.adminUrl, close: () => app.close() };
};
