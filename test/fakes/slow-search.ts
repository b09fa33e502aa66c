// The search thread as it is, but every search by words takes as long as a disk that does not answer; that for "for ever"
// never ends.
import { parentPort } from "node:worker_threads";

const SECONDS = 4;

parentPort?.on("message", (request: { ask?: string; with?: readonly unknown[] }) => {
  if (request.ask !== "matchingAll") return;
  const wait = request.with?.[1] === "for ever" ? Number.POSITIVE_INFINITY : SECONDS * 1_000;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
});
await import("../../src/adapters/sqlite/recall-worker.ts");
