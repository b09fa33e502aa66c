// Model spending, one row per request; monthly budgets are checked against it.
import { type BudgetUsage, reservationOf } from "../../domain/budget.ts";
import type { Repo } from "../../domain/job.ts";
import { repoKey } from "../../domain/memory.ts";
import type { Reservations, SpendingStore } from "../../ports/model.ts";
import type { Held } from "../../ports.ts";
import { fenced } from "../queue/lease-fence.ts";
import type { Database, Sql } from "../sql.ts";
import { insert, oneValue } from "../statement.ts";

const SPENT = "SELECT coalesce(sum(usd), 0) FROM spending WHERE at >= $1";
/** A reservation counts while its lease is held. */
const IS_CURRENT =
  "EXISTS (SELECT 1 FROM jobs WHERE jobs.id = bookings.job AND jobs.token = bookings.token AND jobs.state = 'running')";
const RESERVED = `SELECT coalesce(sum(usd), 0) FROM bookings WHERE ${IS_CURRENT}`;

export function storedSpending(db: Database): SpendingStore {
  return {
    usage: (repo, since, outsiders = false) => usageOf(db, repo, since, outsiders),
    async record(repo, at, purpose, { inputTokens, outputTokens, usd }, held = null) {
      await db.transaction(async (tx) => {
        await tx.run(
          `INSERT INTO spending (repo, at, purpose, input_tokens, output_tokens, usd, job, outsider)
           VALUES ($1, $2, $3, $4, $5, $6, $7,
             coalesce((SELECT outsider FROM bookings WHERE bookings.job = CAST($7 AS bigint)), 0))`,
          [repoKey(repo), at, purpose, inputTokens, outputTokens, usd, held?.id ?? null],
        );
        if (held !== null)
          await tx.run(
            `UPDATE bookings SET usd = CASE WHEN usd > $1 THEN usd - $1 ELSE 0 END WHERE job = $2 AND token = $3`,
            [usd ?? 0, held.id, held.token],
          );
      });
    },
    reservations: (held, repo) => reservations(db, held, repoKey(repo)),
  };
}

function reservations(db: Database, held: Held, repo: string): Reservations {
  return {
    reserve: (wanted, budgets, since) =>
      fenced(db, held, async (tx) => {
        // Serialises reservations: this row is locked until the commit.
        await tx.run("INSERT INTO moments (name, at) VALUES ('reserving', 0) ON CONFLICT (name) DO UPDATE SET at = 0");
        await tx.run("DELETE FROM bookings WHERE job = $1", [held.id]);
        await tx.run(`DELETE FROM bookings WHERE NOT ${IS_CURRENT}`);
        const usages: BudgetUsage[] = [];
        for (const budget of budgets) usages.push(await usageOf(tx, budget.repo, since, budget.whose === "outsiders"));
        const reservation = reservationOf(wanted, budgets, usages);
        const row = { job: held.id, token: held.token, repo, usd: reservation.usd };
        const outsider = budgets.some(({ whose }) => whose === "outsiders");
        // Without money too, so that what a free model is asked counts as theirs.
        if (reservation.usd > 0 || outsider) await insert(tx, "bookings", { ...row, outsider });
        return reservation;
      }),
    outsidersReviews: async (since) =>
      (await oneValue(
        db,
        `SELECT count(DISTINCT spending.job) FROM spending
         JOIN jobs ON jobs.id = spending.job JOIN jobs AS own ON own.key = jobs.key
         WHERE own.id = $1 AND jobs.id <> own.id AND spending.repo = $2 AND spending.at >= $3 AND spending.outsider = 1`,
        [held.id, repo, since],
      )) ?? 0,
    async release() {
      await db.run("DELETE FROM bookings WHERE job = $1 AND token = $2", [held.id, held.token]);
    },
  };
}

/** One statement for both sums: money that moves from reserved to spent is counted once. */
async function usageOf(
  sql: Sql,
  repo: Pick<Repo, "host" | "id"> | null,
  since: number,
  outsiders: boolean,
): Promise<BudgetUsage> {
  const which = `${repo === null ? "" : " AND repo = $2"}${outsiders ? " AND outsider = 1" : ""}`;
  const given = repo === null ? [since] : [since, repoKey(repo)];
  const row = await sql.one<BudgetUsage>(`SELECT (${SPENT}${which}) AS spent, (${RESERVED}${which}) AS aside`, given);
  return row ?? { spent: 0, aside: 0 };
}
