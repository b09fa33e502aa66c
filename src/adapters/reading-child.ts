// A child process that reads untrusted text, and can be killed when it is stuck.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, realpathSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join } from "node:path";

/**
 * Starts the child without keys, and without permission to write, to start processes, or to read
 * more than its own code: neither the data folder nor a key file, nor the server's environment in
 * /proc. Node's permissions restrict JavaScript; a grammar is native code, which only the operating
 * system can confine. The child does not keep the parent alive.
 *
 * @param program a TypeScript module under src that answers messages
 * @param execArgv further options of Node
 */
export function readingChild(program: URL, execArgv: readonly string[] = []): ChildProcess {
  const readable = codeFolders().map((folder) => `--allow-fs-read=${folder}`);
  const child = fork(program, {
    // Grammars are native code, which Node loads as addons.
    execArgv: ["--permission", "--allow-addons", ...readable, ...WITHOUT, ...execArgv],
    env: {},
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  // Whoever waits for an answer gets the error; without a listener it would end this process.
  child.on("error", () => {});
  child.unref();
  child.channel?.unref();
  return child;
}

/** node:sqlite opens any file, whatever the permissions (nodejs.org, "File System Permissions"). */
const WITHOUT = ["--no-experimental-sqlite", "--no-warnings"];

/** The sources of Kodiai, compiled or not, and each folder of packages that they may import. */
function codeFolders(): readonly string[] {
  const { resolve } = createRequire(import.meta.url);
  // pnpm keeps packages in its own store and links to them.
  const [store] = /^.*?[\\/]\.pnpm(?=[\\/])/.exec(resolve("@ast-grep/napi")) ?? [];
  const packages = (resolve.paths("x") ?? [])
    .filter((folder) => basename(folder) === "node_modules" && existsSync(folder))
    // Both a link's own path and its target are checked.
    .flatMap((folder) => [folder, realpathSync(folder)]);
  return [...new Set([join(import.meta.dirname, ".."), ...packages, ...(store === undefined ? [] : [store])])];
}

/**
 * The child's side: answers each message of the parent, and says first that it is ready. An answer
 * that fails ends the child, and the parent learns that.
 */
export function answerMessages<Question>(answer: (question: Question) => unknown): void {
  process.on("message", async (question: Question) => process.send?.(await answer(question)));
  // The parent has ended, so no more requests come.
  process.on("disconnect", () => process.exit(0));
  process.send?.(READY);
}

const READY = "ready";
/** Starting takes a second, and several on a busy machine. */
const START_MS = 30_000;
/** The interval between samples of what a child uses. */
const SAMPLE_MS = 100;
/** By the clock a request may take so many times its processor time, on a machine that is busy. */
const CLOCK_FACTOR = 6;
/** Linux counts processor time in hundredths of a second: proc(5), `utime`. */
const TICK_MS = 10;
const PAGE_BYTES = 4096;

export interface ReadingLimits {
  /** Of the processor for one request; by the clock where the system does not count it. */
  readonly ms: number;
  /** Maximum resident memory during a request. */
  readonly bytes: number;
  /** Maximum resident memory after a request, since grammars do not give it back. */
  readonly restingBytes: number;
  /** The child ends when it has nothing to do for so long; null: it stays. */
  readonly idleMs: number | null;
  /** Of one review: files that may end the child, and the processor time of all its requests. */
  readonly stuckFiles: number;
  readonly reviewMs: number;
}

/** Why there is no answer. */
export type Silence = "too long" | "too large" | "ended" | "not started" | "given up";

type Answered<Answer> = { readonly answer: Answer } | { readonly silence: Silence };

/** What one review asks. */
export interface Reader {
  /**
   * @param files read with a grammar; a request for none is always answered
   * @returns the raw answer, or why there is none
   */
  ask<Answer>(question: object, files: number): Promise<Answered<Answer>>;
  /** True when the review has had its share: then no more of its files are read with a grammar. */
  readonly isOver: boolean;
}

/**
 * A child that answers one request at a time, of each review in turn. One that gave no answer is
 * killed, and the next request starts another.
 *
 * @param start a child that calls `answerMessages`
 */
export function readingProcess(start: () => ChildProcess, limits: ReadingLimits) {
  const { restingBytes, reviewMs, idleMs } = limits;
  let child: ChildProcess | null = null;
  let idle: NodeJS.Timeout | undefined;
  const inTurn = fairTurns();
  const end = () => {
    child?.kill("SIGKILL");
    child = null;
  };

  async function ready(): Promise<ChildProcess | null> {
    if (child?.connected === true) return child;
    const started = start();
    child = started;
    const first = await nextMessage(started, null, { ms: START_MS, bytes: Number.POSITIVE_INFINITY });
    if ("answer" in first.result) return started;
    end();
    return null;
  }

  return {
    /** Starts the child, so that the first request finds it ready. */
    begin: () => inTurn({}, ready).then(() => {}),
    reader(): Reader {
      let stuck = 0;
      let spent = 0;
      const own = {
        get isOver() {
          return stuck >= limits.stuckFiles || spent >= reviewMs;
        },
        ask: <Answer>(question: object, files: number) =>
          inTurn(own, async (): Promise<Answered<Answer>> => {
            if (files > 0 && own.isOver) return { silence: "given up" };
            clearTimeout(idle);
            const running = await ready();
            if (running === null) return { silence: "not started" };
            const { result, used } = await nextMessage<Answer>(running, question, limits);
            spent += used.ms;
            if ("silence" in result && files === 1) stuck += 1;
            if ("silence" in result || used.bytes > restingBytes) end();
            if (idleMs !== null) idle = setTimeout(end, idleMs).unref();
            return result;
          }),
      };
      return own;
    },
    end,
  };
}

/**
 * @param question sent first; null: the child speaks by itself
 * @returns the answer or why there is none, and what the child used for it
 */
async function nextMessage<Answer>(
  child: ChildProcess,
  question: object | null,
  { ms, bytes }: Pick<ReadingLimits, "ms" | "bytes">,
): Promise<{ readonly result: Answered<Answer>; readonly used: Usage }> {
  const stop = new AbortController();
  const { signal } = stop;
  let late: Silence = "too long";
  // The channel keeps the parent alive only during a request.
  child.channel?.ref();
  const answered = once(child, "message", { signal }).then(([message]) => ({ answer: message as Answer }));
  const ended = once(child, "exit", { signal }).then(() => ({ silence: "ended" as const }));
  // Whichever comes second fails when this function stops listening.
  for (const either of [answered, ended]) either.catch(() => {});
  const usage = await usageSince(child.pid);
  let used: Usage = { ms: 0, bytes: 0 };
  const sample = async () => {
    used = await usage();
    if (used.bytes > bytes) late = "too large";
    if (used.bytes > bytes || used.ms > ms) stop.abort();
  };
  const clock = setTimeout(() => stop.abort(), CLOCK_FACTOR * ms);
  const sampling = setInterval(() => void sample(), SAMPLE_MS);
  try {
    if (question !== null) child.send(question);
    const result = await Promise.race([answered, ended]);
    return { result, used: "answer" in result ? await usage() : used };
  } catch {
    return { result: { silence: signal.aborted ? late : "not started" }, used };
  } finally {
    clearTimeout(clock);
    clearInterval(sampling);
    stop.abort();
    child.channel?.unref();
  }
}

interface Usage {
  /** Processor time since the first sample, in milliseconds. */
  readonly ms: number;
  /** Resident memory; 0 if the system does not say. */
  readonly bytes: number;
}

/** What a process uses from now on. Where the system does not count it, the clock does. */
async function usageSince(pid: number | undefined): Promise<() => Promise<Usage>> {
  const since = performance.now();
  const read = async () => {
    // proc(5): the name, in parentheses, may hold spaces; the state is the first field after it.
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
    const fields =
      stat
        ?.slice(stat.lastIndexOf(")") + 2)
        .split(" ")
        .map(Number) ?? [];
    const [user, system, pages] = [fields[11], fields[12], fields[21]];
    if (user === undefined || system === undefined || pages === undefined) return null;
    return { ms: (user + system) * TICK_MS, bytes: pages * PAGE_BYTES };
  };
  const first = await read();
  return async () => {
    const now = await read();
    if (first === null || now === null) return { ms: performance.now() - since, bytes: 0 };
    return { ms: now.ms - first.ms, bytes: now.bytes };
  };
}

/**
 * Runs one piece of work after the other, of each asker in turn, so that one who asks much does not
 * delay one who asks little; a failure affects only its own.
 */
function fairTurns(): <T>(asker: object, work: () => Promise<T>) => Promise<T> {
  /** The asker that was served last comes last. */
  const waiting = new Map<object, (() => Promise<void>)[]>();
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      const [asker, works] = next;
      await works.shift()?.();
      waiting.delete(asker);
      if (works.length > 0) waiting.set(asker, works);
    }
    isRunning = false;
  }

  return (asker, work) =>
    new Promise((resolve, reject) => {
      const works = waiting.get(asker) ?? [];
      waiting.set(asker, works);
      works.push(() => work().then(resolve, reject));
      if (!isRunning) void run();
    });
}
