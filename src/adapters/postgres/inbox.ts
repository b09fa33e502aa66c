// Takes deliveries: as many as there are in one transaction, on disk when it is told.
import type { Inbox } from "../../ports/inbox.ts";
import { failPoint } from "../fail-point.ts";
import type { Postgres } from "./sql.ts";
import { takeDeliveries } from "./take-delivery.ts";
import type { Tickets } from "./tickets.ts";

/** The inbox of an open database (see QUEUE_PART). */
export function postgresInbox(db: Postgres, tickets: Tickets): Inbox {
  return {
    async take(batch) {
      failPoint("before-accept");
      const taken = await db.transaction((sql) => takeDeliveries(sql, tickets, batch));
      failPoint("after-accept");
      return taken;
    },
    async probe(now) {
      await db.run("INSERT INTO probes (id, at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at = excluded.at", [now]);
    },
  };
}
