// What models cost, a row a question, beside the queue: budgets of a month are held against it, and it outlives restarts.
import { type Booking, type Budget, bookingOf, type Purse, type Wanted } from "../../domain/budget.ts";
import type { Repo } from "../../domain/job.ts";
import { repoKey } from "../../domain/memory.ts";
import type { Reserve, SpendingBook } from "../../ports/model.ts";
import type { Held } from "../../ports.ts";
import { fenced } from "./hold.ts";
import type { Postgres, Sql } from "./sql.ts";

/** Names the lock under which money is set aside, one job after the other: any number that nobody else uses. */
const LOCK = 7_165_204_332;
const SPENT = "SELECT coalesce(sum(usd), 0) FROM spending WHERE at >= $1";
/** What a job set aside counts while the job is held for the time for which it was set aside. */
const ASIDE = `SELECT coalesce(sum(usd), 0) FROM bookings
  WHERE EXISTS (SELECT 1 FROM jobs WHERE id = bookings.job AND token = bookings.token AND state = 'running')`;

/** The book over an open database (see BOOK_PART and QUEUE_PART). Throws `Transient` when it cannot be asked. */
export function postgresSpending(db: Postgres): SpendingBook {
  return {
    purse: (repo, since) => purseOf(db, repo, since),
    async record(repo, at, purpose, { inputTokens, outputTokens, usd }, held = null) {
      await db.transaction(async (sql) => {
        await sql.run(
          "INSERT INTO spending (repo, at, purpose, input_tokens, output_tokens, usd) VALUES ($1, $2, $3, $4, $5, $6)",
          [repoKey(repo), at, purpose, inputTokens, outputTokens, usd],
        );
        if (held !== null)
          await sql.run(
            "UPDATE bookings SET usd = greatest(0, usd - $1::double precision) WHERE job = $2 AND token = $3",
            [usd ?? 0, held.id, held.token],
          );
      });
    },
    reserve: (held, repo) => postgresReserve(db, held, repoKey(repo)),
  };
}

function postgresReserve(db: Postgres, held: Held, repo: string): Reserve {
  const book = async (sql: Sql, wanted: Wanted, budgets: readonly Budget[], since: number): Promise<Booking> => {
    await sql.run("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    await sql.run("DELETE FROM bookings WHERE job = $1", [held.id]);
    await sql.run(
      "DELETE FROM bookings WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE id = bookings.job AND token = bookings.token AND state = 'running')",
    );
    const purses: Purse[] = [];
    for (const budget of budgets) purses.push(await purseOf(sql, budget.repo, since));
    const booking = bookingOf(wanted, budgets, purses);
    if (booking.usd > 0)
      await sql.run("INSERT INTO bookings (job, token, repo, usd) VALUES ($1, $2, $3, $4)", [
        ...[held.id, held.token, repo, booking.usd],
      ]);
    return booking;
  };
  return {
    book: (wanted, budgets, since) => fenced(db, held, (sql) => book(sql, wanted, budgets, since)),
    async release() {
      await db.run("DELETE FROM bookings WHERE job = $1 AND token = $2", [held.id, held.token]);
    },
  };
}

/** In one statement: what is spent comes off what is set aside in one transaction, so it is seen once. */
async function purseOf(sql: Sql, repo: Pick<Repo, "host" | "id"> | null, since: number): Promise<Purse> {
  const which = repo === null ? "" : " AND repo = $2";
  const given = repo === null ? [since] : [since, repoKey(repo)];
  const row = await sql.one<Purse>(`SELECT (${SPENT}${which}) AS spent, (${ASIDE}${which}) AS aside`, given);
  return row ?? { spent: 0, aside: 0 };
}
