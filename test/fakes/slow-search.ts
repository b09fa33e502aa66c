// The search thread as it is, but every search by words takes as long as a disk that does not answer.
import { parentPort } from "node:worker_threads";

const SECONDS = 4;

parentPort?.on("message", (request: { ask?: string }) => {
  if (request.ask === "matching") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SECONDS * 1_000);
});
await import("../../src/adapters/sqlite/recall-worker.ts");
