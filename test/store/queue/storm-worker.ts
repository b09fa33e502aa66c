// A process of the storm: the real queue, the real worker over it, and jobs that write down each
// time they were done.
import { setTimeout as wait } from "node:timers/promises";
import { pino } from "pino";
import { heartbeat } from "../../../src/server/sweeps/heartbeat.ts";
import { fenced } from "../../../src/store/queue/lease-fence.ts";
import { startWorker } from "../../../src/worker.ts";
import { openStormQueue } from "./storm-queue.ts";

const [url = ""] = process.argv.slice(2);
const { queue, db } = openStormQueue(url, 6_000);
startWorker(
  {
    queue,
    onLost: () => undefined,
    limits: () => null,
    async run(lease) {
      await wait(20 + Math.random() * 300);
      await fenced(db, lease, (sql) =>
        sql.run("INSERT INTO effects (key, head, job, token) VALUES ($1, $2, $3, $4)", [
          ...[lease.job.key, lease.job.headSha, lease.id, lease.token],
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
heartbeat(queue, pino({ level: "silent" }), 1_000);
