// What was received, asked for again and reviewed, as far as finding missed events needs it.
import type { Database } from "better-sqlite3";
import { jobKey, type Repo } from "../../domain/job.ts";
import type { MissedBook, OpenPull } from "../../ports/missed.ts";
import { write } from "./database.ts";
import { momentsOf } from "./moments.ts";

/** As `receive` gives them. What a person cancelled stays cancelled; what a delivery did is judged by how things stand now. */
const ENDS = "('closed', 'converted to draft')";
/** GitHub tells times in whole seconds. */
const SECOND_MS = 1_000;

/**
 * A head is settled by a review that stands, a job that was given up, a person who stopped it, or a reason against it
 * that is younger than the last thing that happened to the pull request: what is a draft now may be ready then. Given up
 * because the installation was switched off is none: only installations that are switched on are looked through. Given up
 * because GitHub refused is one only until `@refusedBefore`: permissions come back.
 */
const IS_OWED = `SELECT
  NOT EXISTS (SELECT 1 FROM jobs WHERE key = @key AND lane = 'review' AND state IN ('waiting', 'running'))
  AND NOT EXISTS (SELECT 1 FROM reviews WHERE key = @key AND head_sha = @head AND outcome IN ('posted', 'dry run'))
  AND NOT EXISTS (SELECT 1 FROM old_heads WHERE key = @key AND head_sha = @head)
  AND NOT EXISTS (
    SELECT 1 FROM jobs WHERE key = @key AND lane = 'review' AND json_extract(job, '$.headSha') = @head AND (
      state = 'dead' AND coalesce(outcome, '') NOT LIKE 'suspended:%'
        AND NOT ((outcome LIKE 'refused:%' OR outcome LIKE 'unauthorised:%') AND finished_at <= @refusedBefore)
      OR state = 'cancelled' AND outcome NOT IN ${ENDS}
      OR state = 'done' AND outcome LIKE 'stopped:%'
      OR state = 'done' AND outcome = 'skipped: this head was reviewed before'
      OR state = 'done' AND outcome LIKE 'skipped:%' AND finished_at >= @told
    )
  )`;

/** The book over an open queue database (see QUEUE_MIGRATIONS). Throws `Transient` on a lock. */
export function sqliteMissedBook(db: Database): MissedBook {
  const moments = momentsOf(db);
  return {
    async unknown(guids) {
      const known = db
        .prepare("SELECT 1 FROM deliveries WHERE id = @id UNION ALL SELECT 1 FROM redeliveries WHERE id = @id")
        .pluck();
      return guids.filter((id) => known.get({ id }) === undefined);
    },
    asking: async (guid, now) =>
      write(db, () => db.prepare("INSERT INTO redeliveries VALUES (?, ?) ON CONFLICT DO NOTHING").run(guid, now))
        .changes > 0,
    sweptTo: async () => moments.at("swept"),
    swept: async (to) => moments.set("swept", to),
    async lookedAt() {
      const rows = db.prepare("SELECT repo, at FROM watched").raw().all() as [string, number][];
      return new Map(rows);
    },
    lastRound: async () => moments.at("round"),
    round: async (now) => moments.set("round", now),
    looked: async (repo, before, now) => write(db, () => looked(db, repo, before, now)),
    async owes(repo, { number, headSha, updatedAt }, refusedBefore) {
      const given = { key: jobKey(repo, number), head: headSha, told: updatedAt + SECOND_MS, refusedBefore };
      return db.prepare(IS_OWED).pluck().get(given) === 1;
    },
    async counts(since) {
      const count = (sql: string) => db.prepare(sql).pluck().get(since) as number;
      return {
        deliveries: count("SELECT count(*) FROM redeliveries WHERE at >= ?"),
        heads: count(
          "SELECT count(*) FROM jobs WHERE lane = 'review' AND json_extract(job, '$.trigger') = 'missed' AND created_at >= ?",
        ),
      };
    },
  };
}

function looked(db: Database, repo: Pick<Repo, "host" | "id">, before: readonly OpenPull[], now: number): void {
  const old = db.prepare(
    `INSERT INTO old_heads SELECT @key, @head WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE key = @key AND lane = 'review')
     ON CONFLICT DO NOTHING`,
  );
  for (const { number, headSha } of before) old.run({ key: jobKey(repo, number), head: headSha });
  db.prepare("INSERT INTO watched VALUES (?, ?) ON CONFLICT (repo) DO UPDATE SET at = excluded.at").run(
    `${repo.host}/${repo.id}`,
    now,
  );
}
