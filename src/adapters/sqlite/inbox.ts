// Takes deliveries: as many as there are in one transaction, and never waiting for a lock, since the event loop would wait too.
import type { Inbox } from "../../ports/inbox.ts";
import { failPoint } from "../fail-point.ts";
import { type Database, writeAtOnce } from "./database.ts";
import { type KeepOptions, takeDelivery } from "./queue.ts";

/**
 * The inbox of an open queue database (see QUEUE_MIGRATIONS).
 *
 * @param keptAt see KeepOptions; without, the queue's clock is the caller's
 */
export function sqliteInbox(db: Database.Database, keptAt: KeepOptions["keptAt"] = (at) => at): Inbox {
  return {
    async take(batch) {
      failPoint("before-accept");
      const taken = writeAtOnce(db, () =>
        batch.map(({ delivery, outcome, beside }) =>
          takeDelivery(db, delivery, outcome, beside, keptAt(delivery.receivedAt)),
        ),
      );
      failPoint("after-accept");
      return taken;
    },
    probe: async (now) =>
      writeAtOnce(db, () => {
        db.prepare("INSERT INTO probes (id, at) VALUES (1, ?) ON CONFLICT DO UPDATE SET at = excluded.at").run(now);
      }),
  };
}
