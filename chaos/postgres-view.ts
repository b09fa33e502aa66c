// The store under test as the checker sees it, where it is PostgreSQL: by connections of its own,
// bypassing the proxy.
import pg from "pg";
import type { StoreView } from "./ground-truth.ts";
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

/** The third word of a process's mark is its number. */
const JOBS = `SELECT jobs.id::float8 AS id, key, state, attempt, token::int AS token, outcome, job::json ->> 'headSha' AS head,
    split_part(instances.process, ' ', 3)::int AS pid
  FROM jobs LEFT JOIN instances ON instances.id = jobs.owner WHERE lane IN ('review', 'command') ORDER BY jobs.id`;
const FORGETTING = `SELECT count(*)::int AS n FROM jobs
  WHERE lane = 'upkeep' AND state IN ('waiting', 'running') AND job::json ->> 'kind' = 'forget'`;
const REVIEWS = "SELECT key, head_sha AS head, outcome FROM reviews WHERE settled_at IS NOT NULL";
/** A query is repeated when the database restarts or ended all connections. */
const TRIES = 60;
const AGAIN_MS = 500;

/**
 * @param url of the database itself
 * @param pullOf gives the pull request of a job's key (`HOST/REPOSITORY_ID#NUMBER`)
 */
export function postgresView(url: string, pullOf: (key: string) => PullName): StoreView {
  async function read<T extends object>(sql: string): Promise<T[]> {
    for (let tries = 1; ; tries++) {
      const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 30_000 });
      client.on("error", () => {});
      try {
        await client.connect();
        return (await client.query<T>(sql)).rows;
      } catch (error) {
        // Killed before its first schema was written.
        if (error instanceof pg.DatabaseError && error.code === "42P01") return [];
        if (tries >= TRIES) throw error;
      } finally {
        await client.end().catch(() => {});
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
  const jobs = () => read<JobRow & { readonly pid: number | null }>(JOBS);
  return {
    inbox: async () => new Set((await read<{ id: string }>("SELECT id FROM deliveries")).map(({ id }) => id)),
    open: async () =>
      (await jobs())
        .filter(({ state }) => state === "waiting" || state === "running")
        .map(({ id, key, state, attempt, token, pid }) => {
          return { id: String(id), pull: pullOf(key), isRunning: state === "running", attempt, token, pid };
        }),
    ends: async () => [
      ...(await read<{ key: string; head: string; outcome: string }>(REVIEWS)).map((one) => settledReview(one, pullOf)),
      ...(await jobs()).flatMap((one) => endedJob(one, pullOf)),
    ],
    async texts() {
      const tables = await read<{ name: string }>(
        `SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) AS name FROM information_schema.tables
         WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
      );
      const found: { where: string; text: string }[] = [];
      for (const { name } of tables)
        for (const { text } of await read<{ text: string }>(`SELECT one::text AS text FROM ${name} AS one`))
          found.push({ where: name, text });
      return found;
    },
    learnt: async () => learntFrom(await read<FindingRow>(FINDINGS), await read<EvidenceRow>(EVIDENCE), pullOf),
    forgetting: async () => (await read<{ n: number }>(FORGETTING))[0]?.n ?? 0,
    close: async () => {},
  };
}
