// Whether the files of a store are whole, asked while they are in use: read by a thread of its own, so that nobody waits.
import { Worker } from "node:worker_threads";

export interface FileProblem {
  /** `queue.db`. */
  readonly name: string;
  /** What is wrong and what to do, for the operator. */
  readonly message: string;
}

/**
 * Reads both files as they are at one moment each, about a second per gigabyte; writers go on.
 *
 * @param unwanted aborted: nobody waits for the answer any more
 * @returns what is wrong; empty when nothing is
 * @throws Error when it could not be found out
 */
export function checkFiles(dataDir: string, unwanted: AbortSignal): Promise<readonly FileProblem[]> {
  const worker = new Worker(new URL("./check-worker.ts", import.meta.url), { workerData: { dataDir } });
  // A process that is done does not stay for it.
  worker.unref();
  const stop = () => void worker.terminate();
  unwanted.addEventListener("abort", stop, { once: true });
  return new Promise<readonly FileProblem[]>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("the look at the files ended early")));
  }).finally(() => unwanted.removeEventListener("abort", stop));
}
