// One worker process of `npm run bench -- queue`: the real queue, its lane of reviews and the
// worker over it; the review is a model that answers after a while, and nothing else. Prints
// "ready", starts on a line of input, prints each end as a line.
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { pino } from "pino";
import { heartbeat } from "../src/server/sweeps/heartbeat.ts";
import { openStore } from "../src/wire/store.ts";
import { startWorker } from "../src/worker.ts";

const [url = "", parallel = "8", modelMs = "2000"] = process.argv.slice(2);
const opened = await openStore(url);
const { queue } = opened;
console.log("ready");
for await (const _ of createInterface({ input: process.stdin })) break;
const review = startWorker(
  {
    queue,
    run: () => wait(Number(modelMs), "posted"),
    onEnd: ({ job }) => console.log(`${job.key} ${Date.now()}`),
    onLost: () => undefined,
    limits: () => null,
    now: Date.now,
    random: Math.random,
  },
  Number(parallel),
);
const beating = heartbeat(queue, pino({ level: "silent" }));
process.once("SIGTERM", async () => {
  await review.stop(5_000);
  await beating.stop();
  await opened.close();
  process.exit(0);
});
