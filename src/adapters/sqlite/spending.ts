// What models cost, a row a question, beside the queue: budgets of a month are held against it, and it outlives restarts.
import type { Database } from "better-sqlite3";
import { type Booking, type Budget, bookingOf, type Purse, type Wanted } from "../../domain/budget.ts";
import type { Repo } from "../../domain/job.ts";
import type { Reserve, SpendingBook } from "../../ports/model.ts";
import type { Held } from "../../ports.ts";
import { write } from "./database.ts";
import { fenced } from "./hold.ts";

const SPENT = "SELECT coalesce(sum(usd), 0) FROM spending WHERE at >= @since";
/** What a job set aside counts while the job is held for the time for which it was set aside. */
const ASIDE = `SELECT coalesce(sum(usd), 0) FROM bookings
  WHERE EXISTS (SELECT 1 FROM jobs WHERE id = bookings.job AND token = bookings.token AND state = 'running')`;

/** The book over an open queue database (see QUEUE_MIGRATIONS). Throws `Transient` on a lock. */
export function sqliteSpending(db: Database): SpendingBook {
  return {
    purse: async (repo, since) => purseOf(db, repo, since),
    async record(repo, at, purpose, usage, held = null) {
      write(db, () => {
        db.prepare(
          "INSERT INTO spending (repo, at, purpose, input_tokens, output_tokens, usd) VALUES (?, ?, ?, ?, ?, ?)",
        ).run(keyOf(repo), at, purpose, usage.inputTokens, usage.outputTokens, usage.usd);
        if (held !== null)
          db.prepare("UPDATE bookings SET usd = max(0, usd - ?) WHERE job = ? AND token = ?").run(
            ...[usage.usd ?? 0, held.id, held.token],
          );
      });
    },
    reserve: (held, repo) => sqliteReserve(db, held, keyOf(repo)),
  };
}

function sqliteReserve(db: Database, held: Held, repo: string): Reserve {
  const book = (wanted: Wanted, budgets: readonly Budget[], since: number): Booking => {
    db.prepare("DELETE FROM bookings WHERE job = ?").run(held.id);
    db.prepare(
      "DELETE FROM bookings WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE id = bookings.job AND token = bookings.token AND state = 'running')",
    ).run();
    const purses = budgets.map((budget) => purseOf(db, budget.repo, since));
    const booking = bookingOf(wanted, budgets, purses);
    if (booking.usd > 0)
      db.prepare("INSERT INTO bookings VALUES (?, ?, ?, ?)").run(held.id, held.token, repo, booking.usd);
    return booking;
  };
  return {
    book: async (wanted, budgets, since) => fenced(db, held, () => book(wanted, budgets, since)),
    async release() {
      write(db, () => db.prepare("DELETE FROM bookings WHERE job = ? AND token = ?").run(held.id, held.token));
    },
  };
}

function purseOf(db: Database, repo: Pick<Repo, "host" | "id"> | null, since: number): Purse {
  const which = repo === null ? "" : " AND repo = @repo";
  const given = repo === null ? { since } : { since, repo: keyOf(repo) };
  const sql = `SELECT (${SPENT}${which}) AS spent, (${ASIDE}${which}) AS aside`;
  return db.prepare(sql).get(given) as Purse;
}

function keyOf({ host, id }: Pick<Repo, "host" | "id">): string {
  return `${host}/${id}`;
}
