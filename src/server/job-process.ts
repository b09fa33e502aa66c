// The worker process runs the jobs of a server, which starts, watches and replaces it
// (worker-process.ts). It listens on no port; it has secrets from the server's messages and its
// environment only.
import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { endGroup } from "./end-group.ts";
import { guardExit } from "./guard-exit.ts";
import { keepCompiled } from "./keep-compiled.ts";
import type { FromWorker, StartWorker, ToWorker } from "./worker-process.ts";

/** The server takes what it says from here; see processor-watch.ts. */
const REPORTS = 3;
const STATE_MS = 1_000;

guardExit();
keepCompiled();
// A terminal or an init system sends them to each process; the server says when to stop.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
// The server has ended: what is running is done again by the next one.
process.on("disconnect", () => endGroup(process.pid));
const starting = Promise.withResolvers<StartWorker>();
const running = starting.promise.then(start);
process.on("message", (message: ToWorker) => {
  if (message.kind === "start") starting.resolve(message);
  else if (message.kind === "wake") void running.then(({ wake }) => wake(message.lane));
  else void running.then(({ stop }) => stop(message.withinMs));
});

function tell(message: FromWorker): void {
  process.send?.(message);
}

async function start({ options: given, instance, epoch, slug, level, limits }: StartWorker) {
  const { processorTimes } = await import("./processor-times.ts");
  const counted = processorTimes(limits, REPORTS);
  const { openLog } = await import("./serve.ts");
  const { log, lines } = openLog(level, (line) => writeSync(1, line));
  const { appMetrics } = await import("./metrics.ts");
  const { appGitHub, openedStore, registerOwnSecrets } = await import("./open-app.ts");
  const { startJobs } = await import("./start-jobs.ts");
  const options = { ...given, log };
  registerOwnSecrets(options);
  const metrics = appMetrics("", {
    count: (...change) => tell({ kind: "count", change }),
    observe: (...change) => tell({ kind: "observe", change }),
    set: (...change) => tell({ kind: "set", change }),
  });
  const store = await openedStore(options, metrics, { instance, epoch });
  const { github, sinceAnsweredMs } = appGitHub(options, store, slug);
  const onParked = (ranForMs: number) => tell({ kind: "parked", ranForMs });
  const jobs = await startJobs(options, store, github, metrics, { onParked, counted });
  const report = () => tell({ kind: "state", rssBytes: process.memoryUsage.rss(), sinceAnsweredMs: sinceAnsweredMs() });
  report();
  setInterval(report, STATE_MS).unref();
  // Not only at a clean exit, since most of them are killed.
  flushCompileCache();
  return {
    wake: jobs.wake,
    async stop(withinMs: number) {
      await jobs.stop(withinMs);
      await store.close();
      await lines.drained();
      process.exit(0);
    },
  };
}
