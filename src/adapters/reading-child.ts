// A process that reads untrusted text for us, and can be ended when it is stuck.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";

/**
 * Starts it; it keeps no program alive.
 *
 * @param program a TypeScript module that answers messages
 * @param execArgv Node's own options, such as what it may do
 */
export function readingChild(program: URL, execArgv: readonly string[]): ChildProcess {
  const child = fork(program, {
    execArgv: [...execArgv],
    // It reads untrusted text and needs no key.
    env: {},
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  // Said to whoever waits for an answer; without a listener an error would end this process.
  child.on("error", () => {});
  child.unref();
  child.channel?.unref();
  return child;
}

/** How often a process is weighed while it reads. */
const WEIGH_MS = 100;

export interface AskLimits {
  readonly ms: number;
  /** Resident; absent: it is not weighed. */
  readonly bytes?: number;
}

/** Why there is no answer. After the first two the process still works at it: end it. */
export type Silence = "too long" | "too large" | "ended" | "not started";

/**
 * Asks the process one question and waits for its answer. One question at a time.
 *
 * @returns the answer as it came, or why there is none
 */
export async function askChild<Answer>(
  child: ChildProcess,
  question: object,
  { ms, bytes = Number.POSITIVE_INFINITY }: AskLimits,
): Promise<{ readonly answer: Answer } | { readonly silence: Silence }> {
  const stop = new AbortController();
  const { signal } = stop;
  let late: Silence = "too long";
  // Held while it is asked, let go afterwards: an idle process keeps no program alive.
  child.channel?.ref();
  const timer = setTimeout(() => stop.abort(), ms);
  const scale = setInterval(async () => {
    if ((await residentBytes(child.pid)) <= bytes) return;
    late = "too large";
    stop.abort();
  }, WEIGH_MS);
  try {
    const answered = once(child, "message", { signal }).then(([message]) => ({ answer: message as Answer }));
    const ended = once(child, "exit", { signal }).then(() => ({ silence: "ended" as const }));
    ended.catch(() => {});
    child.send(question);
    return await Promise.race([answered, ended]);
  } catch {
    return { silence: signal.aborted ? late : "not started" };
  } finally {
    clearTimeout(timer);
    clearInterval(scale);
    stop.abort();
    child.channel?.unref();
  }
}

/** Memory that a process holds; 0 where the system does not tell. */
export async function residentBytes(pid: number | undefined): Promise<number> {
  try {
    const [, pages = "0"] = (await readFile(`/proc/${pid}/statm`, "utf8")).split(" ");
    return Number(pages) * 4096;
  } catch {
    return 0;
  }
}
