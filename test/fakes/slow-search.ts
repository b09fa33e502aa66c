// The search thread as it is, but every search by words takes as long as a disk that does not answer; that for "for ever"
// never ends.
import { parentPort } from "node:worker_threads";

const SECONDS = 4;

parentPort?.on("message", (request: { ask?: string; with?: readonly unknown[] }) => {
  if (request.ask !== "matching") return;
  const [, texts] = request.with ?? [];
  const wait = Array.isArray(texts) && texts.includes("for ever") ? Number.POSITIVE_INFINITY : SECONDS * 1_000;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
});
await import("../../src/store/memory/search-worker.ts");
