// Starts the real app against a world: the one place of the demo that knows how the product is put together.
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
  /** Opens the dashboard; absent: nothing but webhooks is answered. */
  readonly dashboardToken?: string | undefined;
  /** Told what each room hands on. */
  readonly onStep?: RealOptions["onStep"];
}

export interface RunningApp {
  /** Where GitHub is to send webhooks. */
  readonly webhookUrl: string;
  /** Of the dashboard; null without a token. */
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
    dryRun: false,
    embeddings: { kind: "local" },
    model: null,
    // A push waits for the next one; nobody at a terminal wants to.
    debounce: false,
    reranker: { kind: "off" },
    // The pauses between writes are for the real GitHub.
    pace: false,
    log: pino({ level: process.env.LOG_LEVEL ?? "silent" }),
  });
  return { webhookUrl: `${app.url}${WEBHOOK_PATH}`, dashboardUrl: app.adminUrl, close: () => app.close() };
};
