// Checks a store's files while they are in use, in a thread of its own, so that nothing is blocked.
import { Worker } from "node:worker_threads";

export interface FileProblem {
  readonly name: string;
  readonly message: string;
}

/**
 * Reads a snapshot of each file, about a second per gigabyte; writers are not blocked.
 *
 * @param unwanted aborts the check
 * @returns the problems; empty when there are none
 * @throws Error when the check fails
 */
export function checkFiles(dataDir: string, unwanted: AbortSignal): Promise<readonly FileProblem[]> {
  const worker = new Worker(new URL("./check-worker.ts", import.meta.url), { workerData: { dataDir } });
  // Does not keep the process alive.
  worker.unref();
  const stop = () => void worker.terminate();
  unwanted.addEventListener("abort", stop, { once: true });
  return new Promise<readonly FileProblem[]>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("the check of the files ended early")));
  }).finally(() => unwanted.removeEventListener("abort", stop));
}
