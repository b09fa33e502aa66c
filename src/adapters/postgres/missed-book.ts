// What was received, asked for again and reviewed, as far as finding missed events needs it.
import { jobKey, type ReviewJob } from "../../domain/job.ts";
import { repoKey } from "../../domain/memory.ts";
import type { MissedBook } from "../../ports/missed.ts";
import { momentsOf } from "./moments.ts";
import type { Postgres } from "./sql.ts";

/** As `receive` gives them. What a person cancelled stays cancelled; what a delivery did is judged by how things stand now. */
const ENDS: ReadonlySet<string> = new Set(["closed", "converted to draft"]);
/** GitHub tells times in whole seconds. */
const SECOND_MS = 1_000;

const IS_SETTLED = `SELECT 1 FROM (SELECT 1) AS one WHERE
  EXISTS (SELECT 1 FROM jobs WHERE key = $1 AND lane = 'review' AND state IN ('waiting', 'running'))
  OR EXISTS (SELECT 1 FROM reviews WHERE key = $1 AND head_sha = $2 AND outcome IN ('posted', 'dry run'))
  OR EXISTS (SELECT 1 FROM old_heads WHERE key = $1 AND head_sha = $2)`;

interface EndedJob {
  readonly job: string;
  readonly state: string;
  readonly outcome: string | null;
  readonly finishedAt: number | null;
}

/** Jobs of that head, as far as a text can tell. */
const ENDED = `SELECT job, state, outcome, finished_at AS "finishedAt" FROM jobs
  WHERE key = $1 AND lane = 'review' AND state IN ('dead', 'cancelled', 'done') AND position($2 IN job) > 0`;

/** The book over an open database (see BOOK_PART and QUEUE_PART). Throws `Transient` when it cannot be asked. */
export function postgresMissedBook(db: Postgres): MissedBook {
  const moments = momentsOf(db);
  const count = async (sql: string, since: number) => (await db.one<{ count: number }>(sql, [since]))?.count ?? 0;
  return {
    async unknown(guids) {
      const rows = await db.all<{ id: string }>(
        "SELECT id FROM deliveries WHERE id = ANY($1) UNION SELECT id FROM redeliveries WHERE id = ANY($1)",
        [guids],
      );
      const known = new Set(rows.map(({ id }) => id));
      return guids.filter((id) => !known.has(id));
    },
    asking: async (guid, now) =>
      (await db.run("INSERT INTO redeliveries (id, at) VALUES ($1, $2) ON CONFLICT DO NOTHING", [guid, now])) > 0,
    sweptTo: () => moments.at("swept"),
    swept: (to) => moments.set("swept", to),
    async lookedAt() {
      const rows = await db.all<{ repo: string; at: number }>("SELECT repo, at FROM watched");
      return new Map(rows.map(({ repo, at }) => [repo, at]));
    },
    lastRound: () => moments.at("round"),
    round: (now) => moments.set("round", now),
    looked: (repo, before, now) =>
      db.transaction(async (sql) => {
        await sql.run(
          `INSERT INTO old_heads (key, head_sha) SELECT key, head FROM unnest($1::text[], $2::text[]) AS old (key, head)
           WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.key = old.key AND lane = 'review')
           ON CONFLICT DO NOTHING`,
          [before.map(({ number }) => jobKey(repo, number)), before.map(({ headSha }) => headSha)],
        );
        await sql.run(
          "INSERT INTO watched (repo, at) VALUES ($1, $2) ON CONFLICT (repo) DO UPDATE SET at = excluded.at",
          [repoKey(repo), now],
        );
      }),
    async owes(repo, { number, headSha, updatedAt }, refusedBefore) {
      const place = [jobKey(repo, number), headSha];
      if ((await db.one(IS_SETTLED, place)) !== null) return false;
      const ended = await db.all<EndedJob>(ENDED, place);
      return !ended.some((one) => isOf(one, headSha) && settles(one, updatedAt + SECOND_MS, refusedBefore));
    },
    async counts(since) {
      return {
        deliveries: await count("SELECT count(*) FROM redeliveries WHERE at >= $1", since),
        // Inside of texts a quote has a backslash before it.
        heads: await count(
          `SELECT count(*) FROM jobs WHERE lane = 'review' AND created_at >= $1 AND position('"trigger":"missed"' IN job) > 0`,
          since,
        ),
      };
    },
  };
}

function isOf({ job }: EndedJob, headSha: string): boolean {
  return (JSON.parse(job) as ReviewJob).headSha === headSha;
}

/**
 * A head is settled by a job that was given up, a person who stopped it, or a reason against it that is younger than the last
 * thing that happened to the pull request: what is a draft now may be ready then. Given up because the installation was switched
 * off is none: only installations that are switched on are looked through. Given up because GitHub refused is one only
 * until `refusedBefore`: permissions come back.
 */
function settles({ state, outcome, finishedAt }: EndedJob, told: number, refusedBefore: number): boolean {
  if (state === "dead") {
    if (/^(?:refused|unauthorised):/.test(outcome ?? "")) return finishedAt === null || finishedAt > refusedBefore;
    return outcome?.startsWith("suspended:") !== true;
  }
  if (outcome === null) return false;
  if (state === "cancelled") return !ENDS.has(outcome);
  if (outcome.startsWith("stopped:") || outcome === "skipped: this head was reviewed before") return true;
  return outcome.startsWith("skipped:") && finishedAt !== null && finishedAt >= told;
}
