// Asks servers how they are, in a thread of its own: what the harness itself is busy with is not
// counted as their waiting.
import { readFileSync } from "node:fs";
import { isMainThread, parentPort, Worker } from "node:worker_threads";

interface Question {
  readonly id: number;
  readonly port: number;
  readonly pid: number;
}

/** Milliseconds; null where the server did not answer well within ten seconds. */
type Answer = { readonly id: number; readonly ms: number | null };

export interface HealthSampler {
  /**
   * How long a server's /healthz took, without the time in which it or the one who asked had no
   * core.
   */
  ask(port: number, pid: number): Promise<number | null>;
  close(): Promise<void>;
}

export function startHealthSampler(): HealthSampler {
  const worker = new Worker(new URL(import.meta.url));
  const waiting = new Map<number, (ms: number | null) => void>();
  let last = 0;
  worker.on("message", ({ id, ms }: Answer) => {
    waiting.get(id)?.(ms);
    waiting.delete(id);
  });
  return {
    ask: (port, pid) =>
      new Promise((resolve) => {
        const question: Question = { id: ++last, port, pid };
        waiting.set(question.id, resolve);
        worker.postMessage(question);
      }),
    async close() {
      await worker.terminate();
    },
  };
}

if (!isMainThread)
  parentPort?.on("message", (question: Question) => {
    void asked(question).then((ms) => parentPort?.postMessage({ id: question.id, ms } satisfies Answer));
  });

async function asked({ port, pid }: Question): Promise<number | null> {
  const [since, waited] = [performance.now(), waitedForCpuMs(pid)];
  const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(10_000) }).catch(
    () => null,
  );
  await answer?.arrayBuffer().catch(() => null);
  // What the machine was busy with otherwise says nothing about the server.
  const took = performance.now() - since - (waitedForCpuMs(pid) - waited);
  return answer?.ok === true ? Math.max(0, took) : null;
}

/**
 * Milliseconds for which the main thread of the server and this one were ready and had no core,
 * since they began: proc(5), /proc/PID/schedstat, the second number, in nanoseconds. 0 where the
 * kernel does not count them.
 */
function waitedForCpuMs(server: number): number {
  const of = (file: string) => {
    try {
      return Number(readFileSync(file, "utf8").split(" ")[1]) / 1e6;
    } catch {
      return 0;
    }
  };
  return of(`/proc/${server}/task/${server}/schedstat`) + of("/proc/thread-self/schedstat");
}
