// The store under test as the checker sees it, where it is SQLite: read only, by another
// connection, also while the server is dead.
import { existsSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { OpenJob, StoreView } from "./ground-truth.ts";
import type { PullName } from "./history.ts";
import {
  EVIDENCE,
  type EvidenceRow,
  endedJob,
  FINDINGS,
  type FindingRow,
  type JobRow,
  learntFrom,
  settledReview,
} from "./job-outcomes.ts";

const FORGETTING =
  "SELECT count(*) AS n FROM jobs WHERE lane = 'upkeep' AND state IN ('waiting', 'running') AND json_extract(job, '$.kind') = 'forget'";

/**
 * @param pullOf gives the pull request of a job's key (`HOST/REPOSITORY_ID#NUMBER`)
 */
export function sqliteView(dataDir: string, pullOf: (key: string) => PullName): StoreView {
  function read<T>(sql: string, name = "queue.db"): T[] {
    const file = join(dataDir, name);
    if (!existsSync(file)) return [];
    const db = new Database(file, { readonly: true, timeout: 5_000 });
    try {
      return db.prepare(sql).all() as T[];
    } catch (error) {
      // Killed before its first schema was written.
      if (/no such table/.test(String(error))) return [];
      throw error;
    } finally {
      db.close();
    }
  }
  const jobs = () =>
    read<JobRow>(
      "SELECT id, key, state, attempt, token, outcome, json_extract(job, '$.headSha') AS head FROM jobs WHERE lane IN ('review', 'command') ORDER BY id",
    );
  return {
    inbox: async () => new Set(read<{ id: string }>("SELECT id FROM deliveries").map(({ id }) => id)),
    open: async () =>
      jobs()
        .filter(({ state }) => state === "waiting" || state === "running")
        .map(({ id, key, state, attempt, token }): OpenJob => {
          return { id: String(id), pull: pullOf(key), isRunning: state === "running", attempt, token };
        }),
    ends: async () => {
      const written = read<{ key: string; head: string; outcome: string }>(
        "SELECT key, head_sha AS head, outcome FROM reviews WHERE settled_at IS NOT NULL",
      );
      return [...written.map((one) => settledReview(one, pullOf)), ...jobs().flatMap((one) => endedJob(one, pullOf))];
    },
    learnt: async () =>
      learntFrom(read<FindingRow>(FINDINGS, "memory.db"), read<EvidenceRow>(EVIDENCE, "memory.db"), pullOf),
    forgetting: async () => read<{ n: number }>(FORGETTING)[0]?.n ?? 0,
    close: async () => {},
  };
}
