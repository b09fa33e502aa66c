// The server's side of its worker: starts, watches and replaces it. No job keeps the server busy.
import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { symbols } from "pino";
import { StoreUnusable, Transient } from "../domain/errors.ts";
import type { LaneName, ProcessEnd } from "../ports.ts";
import type { Store } from "../wire/store.ts";
import { HANGS_MS } from "../worker.ts";
import type { AppOptions } from "./app-options.ts";
import { endGroup, HAS_GROUPS } from "./end-group.ts";
import type { MeterChange, Metrics } from "./metrics.ts";
import type { TimeLimits } from "./processor-times.ts";
import type { Overrun } from "./processor-watch.ts";
import type { JobHooks, Jobs } from "./start-jobs.ts";
import { every } from "./sweeps/periodic-task.ts";

const PROGRAM = new URL("./job-process.ts", import.meta.url);

/** A hundred times what a large review takes. A job that takes more would hold up the others. */
const PROCESSOR_MS = 120_000;
/** Before its lane gives it up, which ends no process. */
const WALL_MS = HANGS_MS - 60_000;
const VOUCH_MS = 5_000;
/** It reports four times a second; without a report for so long nobody vouches for it. */
const QUIET_MS = 2_000;
/** Ended after so many quiet checks: those of a suspended machine count once. */
const MOST_QUIET = 6;
/** A start takes some seconds, and longer on a busy machine. */
const START_MS = 120_000;
/** Beyond the time that running jobs have: to give back what it holds, and to close its files. */
const STOP_MS = 3_500;
/** Collects every 2 MB: 184 MB after 20 reviews, 230 with Node's choice (bench/README.md). */
const YOUNG = "--max-semi-space-size=2";
const FIRST_PAUSE_MS = 250;
const MOST_PAUSE_MS = 30_000;
/** One that lived for so long was well. */
const WELL_MS = 60_000;
const RECORD_AGAIN_MS = 1_000;
/** For the last lines of a process that has ended. */
const LAST_LINES_MS = 1_000;

type SentOptions = Omit<AppOptions, "log" | "inspector" | "onStep" | "unwanted" | "missed" | "admin">;

export interface StartWorker {
  readonly kind: "start";
  readonly options: SentOptions;
  /** Its name in the queue, and the queue's clock. */
  readonly instance: string;
  readonly epoch: number;
  readonly slug: string;
  readonly level: string;
  readonly limits: TimeLimits;
}

export type ToWorker =
  | StartWorker
  | { readonly kind: "wake"; readonly lane?: LaneName | undefined }
  | { readonly kind: "stop"; readonly withinMs: number };

interface WorkerState {
  readonly rssBytes: number;
  readonly sinceAnsweredMs: number | null;
}

export type FromWorker =
  | MeterChange
  | { readonly kind: "parked"; readonly ranForMs: number }
  /** The first one also says that it has started. */
  | ({ readonly kind: "state" } & WorkerState);

export interface WorkerProcess extends Jobs {
  /** What it last reported; null while it starts. */
  readonly state: () => WorkerState | null;
  /** Why no job runs, as the fragment of a sentence; null when all is well, and while it starts. */
  readonly problem: () => string | null;
}

interface Life {
  readonly child: ChildProcess;
  readonly instance: string;
  reportedAt: number;
  /** What ended it; a crash unless something else is known. */
  end: ProcessEnd;
  state: WorkerState | null;
}

/**
 * Without a queue nothing can be stored: its supervisor starts the server anew, and it says why.
 *
 * @throws StoreUnusable for a damaged queue
 */
async function mustHaveQueue(verify: Store["verify"], unwanted: AbortSignal): Promise<void> {
  const problems = await verify(unwanted).catch(() => []);
  const damaged = problems.find(({ name }) => name === "queue.db");
  if (damaged !== undefined) throw new StoreUnusable(damaged.message);
}

/**
 * Starts it; resolves at once. Its log lines go to the server's log. A damaged queue, which ends a
 * worker, ends this process too: a rejection with StoreUnusable that is not caught.
 */
export function workerProcess(
  options: AppOptions,
  { queue, epoch, verify }: Pick<Store, "queue" | "epoch" | "verify">,
  metrics: Pick<Metrics, "apply" | "replaced">,
  { slug, onParked }: { readonly slug: string } & Pick<JobHooks, "onParked">,
): WorkerProcess {
  const { log, inspector: _, onStep: __, unwanted: ___, missed: ____, admin: _____, ...sent } = options;
  const { processorMs = PROCESSOR_MS, wallMs = WALL_MS, beatMs = VOUCH_MS } = options.waits ?? {};
  const stream = (log as unknown as Record<symbol, { write(line: string): void }>)[symbols.streamSym];
  let life: Life | null = null;
  let problem: string | null = null;
  let failures = 0;
  let starts = 0;
  let quiet = 0;
  const stopping = new AbortController();

  function begin(): Life {
    const { KODIAI_FAIL_AT: failAt, ...env } = process.env;
    const child = fork(PROGRAM, {
      execArgv: [...process.execArgv, YOUNG],
      // A fail point ends one process, not each that takes its place.
      env: starts++ === 0 && failAt !== undefined ? process.env : env,
      serialization: "advanced",
      stdio: ["ignore", "pipe", "inherit", "pipe", "ipc"],
      // Leads a group of its own, which ends as a whole.
      detached: HAS_GROUPS,
      windowsHide: true,
    });
    const begun: Life = {
      child,
      instance: randomUUID(),
      reportedAt: performance.now(),
      end: { kind: "died" },
      state: null,
    };
    // `live` learns of one that cannot be started; one that is ending cannot be reached.
    child.on("error", () => {});
    child.on("message", (message: FromWorker) => take(begun, message));
    createInterface({ input: child.stdout as Readable }).on("line", (line) => stream?.write(`${line}\n`));
    createInterface({ input: child.stdio[3] as Readable }).on("line", (line) => {
      begun.reportedAt = performance.now();
      if (line !== "") void overrun(begun, JSON.parse(line) as Overrun);
    });
    send(begun, {
      kind: "start",
      options: sent,
      instance: begun.instance,
      epoch,
      slug,
      level: log.level,
      limits: { processorMs, wallMs },
    });
    return begun;
  }

  function take(from: Life, message: FromWorker): void {
    if (message.kind === "parked") onParked(message.ranForMs);
    else if (message.kind !== "state") metrics.apply(message);
    else {
      if (from.state === null) problem = null;
      from.state = message;
    }
  }

  /** Records whose attempt counts before the process ends: its other jobs did not crash. */
  async function overrun(of: Life, { job, reason }: Overrun): Promise<void> {
    log.error({ job: job?.id ?? null, reason }, "the worker process is ended and replaced");
    if (job !== null) {
      await queue
        .ended(of.instance, { kind: "overran", job, reason })
        .catch((error: unknown) => log.warn({ err: error }, "a job that took too much time could not be recorded"));
      of.end = { kind: "stopped" };
    }
    endGroup(of.child.pid);
  }

  async function live(): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; !stopping.signal.aborted; pause = Math.min(2 * pause, MOST_PAUSE_MS)) {
      const began = performance.now();
      const own = begin();
      life = own;
      const late = setTimeout(() => own.state ?? endGroup(own.child.pid), START_MS).unref();
      const closed = once(own.child, "close").catch(() => {});
      const ended = await once(own.child, "exit").catch((error: unknown) => [null, null, error]);
      const [code, signal, error = null] = ended as [number | null, string | null, unknown?];
      clearTimeout(late);
      // What it started and could not end.
      endGroup(own.child.pid);
      // What it logged last may still be in the pipe.
      await Promise.race([closed, sleep(LAST_LINES_MS, null, { ref: false })]);
      await recorded(own);
      life = null;
      if (stopping.signal.aborted) return;
      const cause = own.end.kind === "died" ? "died" : "overran";
      metrics.replaced(cause);
      failures = own.state === null ? failures + 1 : 0;
      if (own.state === null) problem = "the process that runs jobs cannot be started: see the log";
      if (cause === "died")
        log.error({ code, signal, err: error, failures }, "the worker process died; it is started again");
      if (cause === "died") await mustHaveQueue(verify, stopping.signal);
      if (cause === "overran" || performance.now() - began > WELL_MS) pause = FIRST_PAUSE_MS;
      await sleep(pause, null, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  }

  /** Gives back what it held. Otherwise other processes find out themselves. */
  async function recorded({ instance, end }: Life): Promise<void> {
    for (let tried = 0; tried < 3; tried += 1) {
      try {
        const requeued = await queue.ended(instance, end);
        if (requeued > 0 && end.kind === "died")
          log.warn({ recovered: requeued }, "jobs of a crashed process were requeued");
        return;
      } catch (error) {
        if (!(error instanceof Transient)) return void log.warn({ err: error }, "jobs were not requeued");
        await sleep(RECORD_AGAIN_MS);
      }
    }
  }

  const vouching = every(beatMs, async () => {
    if (life === null) return;
    const isQuiet = performance.now() - life.reportedAt > QUIET_MS;
    quiet = isQuiet && life.state !== null ? quiet + 1 : 0;
    if (quiet >= MOST_QUIET) endGroup(life.child.pid);
    if (!isQuiet) await queue.vouch(life.instance).catch(() => {});
  });
  const living = live();
  return {
    state: () => life?.state ?? null,
    problem: () => problem,
    wake: (lane) => life && send(life, { kind: "wake", lane }),
    async stop(withinMs) {
      stopping.abort();
      const last = life;
      if (last !== null) {
        last.end = { kind: "stopped" };
        if (last.state === null) endGroup(last.child.pid);
        else send(last, { kind: "stop", withinMs });
      }
      const late = setTimeout(() => last && endGroup(last.child.pid), withinMs + STOP_MS);
      await Promise.all([living, vouching.stop()]);
      clearTimeout(late);
    },
  };
}

/** A process that is ending receives nothing: the next one finds all in the queue. */
function send({ child }: Life, message: ToWorker): void {
  if (child.connected) child.send(message, () => {});
}
