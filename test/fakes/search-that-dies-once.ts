// The search thread as it is, but under the first search by words of a folder it dies.
import { existsSync, writeFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";

const mark = `${(workerData as { place: string }).place}.died`;

parentPort?.on("message", (request: { ask?: string }) => {
  if (request.ask !== "matching" || existsSync(mark)) return;
  writeFileSync(mark, "");
  process.exit(1);
});
await import("../../src/store/memory/search-worker.ts");
