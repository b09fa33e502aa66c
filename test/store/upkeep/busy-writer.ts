// A process of its own that writes without a pause: each transaction makes one row in each of two
// tables, alike.
import { setTimeout as sleep } from "node:timers/promises";
import { openQueueFile } from "../../../src/store/queue/clock.ts";

const db = await openQueueFile(process.argv[2] ?? "");
let isWanted = true;
process.on("SIGTERM", () => {
  isWanted = false;
});
process.stdout.write("writing\n");
for (let n = 0; isWanted; n += 1) {
  await db.transaction(async (tx) => {
    await tx.run(
      "INSERT INTO deliveries (id, event, received_at, outcome, reason) VALUES ($1, 'push', $2, 'ignored', 'load')",
      [`load-${n}`, n],
    );
    await tx.run("INSERT INTO paused (key, by, at) VALUES ($1, 'load', $2)", [`load-${n}`, n]);
  });
  await sleep(5);
}
await db.close();
