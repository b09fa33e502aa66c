// A process of the storm: the real queue, the real worker over it, and jobs that write down each time they were done.
import { setTimeout as wait } from "node:timers/promises";
import { pino } from "pino";
import { fenced } from "../../../src/adapters/postgres/hold.ts";
import { heartbeat } from "../../../src/server/heartbeat.ts";
import { openQueueOn } from "../../../src/wire/postgres-queue.ts";
import { startWorker } from "../../../src/worker.ts";

const [url = ""] = process.argv.slice(2);
const { queue, db } = await opened();
const review = startWorker(
  {
    queue,
    async run(job, _attempt, _signal, lease) {
      await wait(20 + Math.random() * 300);
      await fenced(db, lease, (sql) =>
        sql.run("INSERT INTO effects (key, head, job, token) VALUES ($1, $2, $3, $4)", [
          ...[job.key, job.headSha, lease.id, lease.token],
        ]),
      );
      return "posted";
    },
    onEnd: () => {},
    now: Date.now,
    random: Math.random,
  },
  4,
);
heartbeat(queue, { review }, pino({ level: "silent" }), 1_000);
queue.heard?.(() => review.wake());

/** A database that is just being restarted is asked again. */
async function opened() {
  for (;;) {
    try {
      return await openQueueOn(url, () => {}, 6_000);
    } catch {
      await wait(500);
    }
  }
}
