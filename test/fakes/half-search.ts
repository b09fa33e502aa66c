// The search threads as they are, but that for vectors dies of whatever it is asked.
import { parentPort, workerData } from "node:worker_threads";

const { limits } = workerData as { readonly limits: { readonly part: string } };
if (limits.part === "vectors")
  parentPort?.on("message", () => {
    throw new Error("on purpose");
  });
else await import("../../src/adapters/sqlite/recall-worker.ts");
