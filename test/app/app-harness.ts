// The whole play: a GitHub of our own, the real app listening on a free port, its store in a folder
// of its own. Tests say what people do and then look at the pull request, as a visitor would.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { pino } from "pino";
import { startApp } from "../../src/app.ts";
import type { AppOptions, RunningApp } from "../../src/server/app-options.ts";
import { loggedError } from "../../src/server/serve.ts";
import { inspector } from "../../src/wire/rules.ts";
import { logWithoutSecrets } from "../../src/wire/secrets.ts";
import type { Pull } from "../fakes/github/conversation.ts";
import { type GitHubWorld, startGitHub, type WorldOptions } from "../fakes/github/github.ts";
import { WATCHDOG_MS } from "../watchdog.ts";

export const WEBHOOK_PATH = "/api/github/webhooks";
const POLL_MS = 20;

/** A job as the queue keeps it. */
export interface JobRow {
  readonly state: "waiting" | "running" | "done" | "superseded" | "cancelled" | "parked";
  readonly attempt: number;
  /** Epoch milliseconds before which it does not run. */
  readonly runAt: number;
  readonly outcome: string | null;
}

export interface Harness {
  readonly world: GitHubWorld;
  /** Where the app keeps its files. */
  readonly dataDir: string;
  /** Where the app answers. */
  url(): string;
  /** Where it answers whoever runs it. */
  adminUrl(): string;
  /** Lines of the log so far, as they would be written. */
  readonly log: readonly string[];
  /** Jobs of a pull request, oldest first. */
  jobs(pull: Pull): readonly JobRow[];
  /** The job that the last delivery made has ended. Returns it. */
  settled(pull: Pull): Promise<JobRow>;
  /**
   * All jobs that follow the repository have ended. Returns how, oldest first: `index: indexed …`.
   */
  followed(repository: { readonly id: number }): Promise<readonly string[]>;
  /**
   * The newest job has failed, once more than when this was last asked, and waits for another try.
   * Returns it.
   */
  waitsAgain(pull: Pull): Promise<JobRow>;
  /** What became of each delivery, by X-GitHub-Delivery. */
  outcomeOf(delivery: string): { readonly outcome: string; readonly reason: string } | null;
  /** Rows of the queue's file, as an operator with a shell sees them. */
  rows(sql: string): readonly Record<string, unknown>[];
  /** Lets jobs that wait for another try run now, whatever GitHub asked for. */
  hurry(): Promise<void>;
  /** Leaves jobs as a process leaves them that dies in the middle, and starts the app again. */
  crash(): Promise<void>;
  /** Ends the app and starts it again on the same folder; `meanwhile` happens while it is down. */
  restart(over?: Partial<AppOptions>, meanwhile?: () => unknown): Promise<void>;
  close(): Promise<void>;
}

export interface HarnessOptions extends WorldOptions {
  readonly app?: Partial<AppOptions>;
}

const rules = inspector();

export async function openHarness(options: HarnessOptions = {}): Promise<Harness> {
  const world = await startGitHub(options);
  const dataDir = mkdtempSync(join(tmpdir(), "kodiai-app-"));
  const log: string[] = [];
  const lines = logWithoutSecrets((line) => void log.push(line));
  const start = (over: Partial<AppOptions> = {}): Promise<RunningApp> =>
    startApp({
      ...world.appCredentials,
      apiUrl: world.apiUrl,
      webhookPath: WEBHOOK_PATH,
      githubHost: "github.com",
      host: "127.0.0.1",
      port: 0,
      admin: { host: "127.0.0.1", port: 0 },
      dataDir,
      reviewerLogin: null,
      workers: 2,
      dryRun: false,
      embeddings: { kind: "local" },
      model: null,
      reranker: { kind: "off" },
      pace: false,
      debounce: false,
      waits: { settledMs: 0, drainMs: 1_000 },
      inProcess: true,
      // The process that a server reads code in takes a second to start.
      inspector: rules,
      missed: "off",
      log: pino({ level: "debug", serializers: { err: loggedError, error: loggedError } }, lines),
      ...options.app,
      ...over,
    });
  let app = await start();
  world.setWebhookUrl(app.url + WEBHOOK_PATH);
  const db = new Database(join(dataDir, "queue.db"));

  const jobs = (pull: Pull) =>
    db
      .prepare("SELECT state, attempt, run_at AS runAt, outcome FROM jobs WHERE key = ? ORDER BY id")
      .all(`github.com/${pull.repository.id}#${pull.number}`) as JobRow[];
  const restart = async (over: Partial<AppOptions> = {}, meanwhile: () => unknown = () => {}) => {
    await app.close();
    await meanwhile();
    app = await start(over);
    world.setWebhookUrl(app.url + WEBHOOK_PATH);
  };

  const upkeep = (id: number) =>
    db
      .prepare("SELECT key, state, outcome FROM jobs WHERE key LIKE ? AND lane = 'upkeep' ORDER BY id")
      .all(`github.com/${id}:%`) as { key: string; state: JobRow["state"]; outcome: string }[];

  /** Of each pull request: the failed try that was last waited for. */
  const failed = new WeakMap<Pull, { readonly jobs: number; readonly attempt: number }>();
  return {
    world,
    async followed({ id }) {
      const open = () => upkeep(id).filter(({ state }) => state === "waiting" || state === "running");
      await until(`the jobs of repository ${id}`, () => upkeep(id).length > 0 && open().length === 0);
      return upkeep(id).map(({ key, state, outcome }) => {
        return `${key.slice(key.indexOf(":") + 1)}: ${state === "done" ? "" : `${state} `}${outcome}`;
      });
    },
    url: () => app.url,
    rows: (sql) => db.prepare(sql).all() as Record<string, unknown>[],
    adminUrl: () => app.adminUrl ?? "",
    dataDir,
    log,
    jobs,
    async settled(pull) {
      for (let waited = 0; waited < WATCHDOG_MS; waited += POLL_MS) {
        const rows = jobs(pull);
        const last = rows.at(-1);
        const open = rows.some(({ state }) => state === "waiting" || state === "running");
        if (last !== undefined && !open) return last;
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
      throw new Error(`no end in sight: ${JSON.stringify(jobs(pull))}\n${log.slice(-20).join("")}`);
    },
    async waitsAgain(pull) {
      const all = () => jobs(pull);
      const failedAgain = () => {
        const row = all().at(-1);
        const known = failed.get(pull);
        const before = known?.jobs === all().length ? known.attempt : 0;
        return row?.state === "waiting" && row.attempt > before;
      };
      await until("a failed try", failedAgain);
      const row = all().at(-1) as JobRow;
      failed.set(pull, { jobs: all().length, attempt: row.attempt });
      return row;
    },
    outcomeOf: (delivery) =>
      (db.prepare("SELECT outcome, reason FROM deliveries WHERE id = ?").get(delivery) as
        | { outcome: string; reason: string }
        | undefined) ?? null,
    async hurry() {
      // While it is down: a process that GitHub asked to wait knows so by itself, and would put
      // them off again.
      await restart({}, () => {
        db.prepare("UPDATE jobs SET run_at = 0 WHERE state = 'waiting'").run();
        db.prepare("UPDATE installations SET closed_until = 0").run();
      });
    },
    async crash() {
      await restart({}, () => {
        db.prepare(
          "UPDATE jobs SET state = 'running', attempt = attempt + 1, owner = 'a process that is gone' WHERE state = 'waiting'",
        ).run();
      });
    },
    restart,
    async close() {
      db.close();
      await app.close();
      await world.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Waits until `holds` is true; throws after the watchdog's time. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  for (let waited = 0; waited < WATCHDOG_MS; waited += POLL_MS) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`waited in vain: ${what}`);
}
