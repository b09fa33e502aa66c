// The demo's app with its dashboard, kept open for a browser: the real app makes the data.
import { join } from "node:path";
import Database from "better-sqlite3";
import { playDashboardData } from "../../demo/dashboard-data.ts";
import { runDemo } from "../../demo/first-review.ts";
import { startApp } from "../../demo/start-app.ts";
import type { Pull } from "../fakes/github/conversation.ts";
import type { GitHubWorld } from "../fakes/github/github.ts";

export const TOKEN = "a-token-for-the-dashboard-0123456789";

export interface DemoDashboard {
  readonly world: GitHubWorld;
  /** The pull request of acme/ledger that was reviewed first. */
  readonly pull: Pull;
  readonly url: string;
  readonly dataDir: string;
  /** `HOST/REPO_ID` of acme/warehouse. */
  readonly warehouse: string;
  /** Rows of the database file. */
  rows(file: "queue" | "memory", sql: string): readonly Record<string, unknown>[];
  /** Resolves when no job is left to run. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Plays the demo, about half a minute, and keeps the app running. */
export async function openDemoDashboard(): Promise<DemoDashboard> {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  return new Promise((resolve, reject) => {
    const demo = runDemo(startApp, { colours: false, print: () => {}, dashboardToken: TOKEN }, async (at) => {
      await playDashboardData(at);
      const rows: DemoDashboard["rows"] = (file, sql) => {
        const db = new Database(join(at.dataDir, `${file}.db`));
        try {
          const statement = db.prepare(sql);
          if (statement.reader) return statement.all() as Record<string, unknown>[];
          statement.run();
          return [];
        } finally {
          db.close();
        }
      };
      const [repo] = rows(
        "memory",
        "SELECT host || '/' || github_id AS key FROM repositories WHERE full_name = 'acme/warehouse'",
      );
      resolve({
        world: at.world,
        pull: at.pull,
        url: at.dashboardUrl ?? "",
        dataDir: at.dataDir,
        warehouse: String(repo?.key),
        rows,
        settled: at.settled,
        close: async () => {
          release();
          await demo;
        },
      });
      await held;
      return {};
    });
    demo.catch(reject);
  });
}
