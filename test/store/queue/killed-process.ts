// A process that kills itself while it writes: node killed-process.ts PLACE WORK WHEN
//
// PLACE is a file or a postgres:// address. WORK is `take` (three deliveries) or `end` (a job is
// leased, and then its end is written down). WHEN is the beginning of the statement before which it
// is over, `COMMIT`, `after` the commit, or `never`. Prints what it was answered when it gets that
// far.
import { openPostgres } from "../../../src/store/postgres.ts";
import { openQueueFile } from "../../../src/store/queue/clock.ts";
import { storedInbox } from "../../../src/store/queue/deliveries.ts";
import { storedQueue } from "../../../src/store/queue/queue.ts";
import type { Database, Sql } from "../../../src/store/sql.ts";
import { arrivals } from "./killed-arrivals.ts";

const [place = "", work = "", when = ""] = process.argv.slice(2);
const db: Database = place.startsWith("postgres") ? openPostgres(place) : await openQueueFile(place);

const armed: Database = {
  ...db,
  ...mined(db),
  async transaction(inside) {
    const answer = await db.transaction(async (tx) => {
      const said = await inside(mined(tx));
      if (when === "COMMIT") kill();
      return said;
    });
    if (when === "after") kill();
    return answer;
  },
};

function mined(sql: Sql): Sql {
  const guarded = <T>(ask: (text: string, values?: readonly unknown[]) => Promise<T>) => {
    return async (text: string, values?: readonly unknown[]): Promise<T> => {
      if (text.startsWith(when)) kill();
      return ask(text, values);
    };
  };
  return {
    dialect: sql.dialect,
    all: guarded(sql.all) as Sql["all"],
    one: guarded(sql.one) as Sql["one"],
    run: guarded(sql.run),
  };
}

function kill(): never {
  process.kill(process.pid, "SIGKILL");
  // The signal is on its way.
  for (;;);
}

if (work === "take") console.log(JSON.stringify(await storedInbox(armed).take(arrivals())));
else {
  const lease = await storedQueue(db).lease();
  if (lease === null) throw new Error("there is no job");
  console.log(await storedQueue(armed).end(lease, { state: "retry", inMs: 0, reason: "502" }));
}
await db.close();
