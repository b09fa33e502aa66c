// A child process that reads untrusted text, and can be killed when it is stuck.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, realpathSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { oneAtATime } from "../domain/one-at-a-time.ts";

/**
 * Starts the child without keys, and without permission to write, to start processes, or to read more than its own code: neither
 * the data folder nor a key file, nor the server's environment in /proc. Node's permissions restrict JavaScript; a grammar is
 * native code, which only the operating system can confine. The child does not keep the parent alive.
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
  // The caller that waits for an answer gets the error; without a listener it would end this process.
  child.on("error", () => {});
  child.unref();
  child.channel?.unref();
  return child;
}

/** node:sqlite opens any file, regardless of the permissions (nodejs.org, "File System Permissions"). */
const WITHOUT = ["--no-experimental-sqlite", "--no-warnings"];

/** The compiled or plain sources of Kodiai, and each folder of packages that they may import from. */
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

/** The interval between memory checks of a child. */
const WEIGH_MS = 100;

interface AskLimits {
  readonly ms: number;
  /** Maximum resident memory; absent: unchecked. */
  readonly bytes?: number;
}

/** Why there is no answer. After the first two the child is still working: kill it. */
export type Silence = "too long" | "too large" | "ended" | "not started";

/**
 * Sends the child one request and waits for its answer. One request at a time.
 *
 * @returns the raw answer, or why there is none
 */
export async function askChild<Answer>(
  child: ChildProcess,
  question: object,
  { ms, bytes = Number.POSITIVE_INFINITY }: AskLimits,
): Promise<{ readonly answer: Answer } | { readonly silence: Silence }> {
  const stop = new AbortController();
  const { signal } = stop;
  let late: Silence = "too long";
  // The channel keeps the parent alive only during a request.
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

/** A child that is started by the first request and answers one at a time. */
interface ReadingProcess {
  /**
   * As `askChild`; a child that gave no answer is killed, and the next request starts another.
   *
   * @param limits may depend on whether the child has yet to start
   */
  ask<Answer>(
    question: object,
    limits: (isNew: boolean) => AskLimits,
  ): Promise<{ readonly answer: Answer } | { readonly silence: Silence }>;
  /** Kills the child. */
  end(): void;
}

/** @param idleMs the child ends when it has nothing to do for so long */
export function readingProcess(start: () => ChildProcess, idleMs: number): ReadingProcess {
  let child: ChildProcess | null = null;
  let idle: NodeJS.Timeout | undefined;
  const inTurn = oneAtATime();
  const end = () => {
    child?.kill("SIGKILL");
    child = null;
  };
  return {
    ask: <Answer>(question: object, limits: (isNew: boolean) => AskLimits) =>
      inTurn(async () => {
        clearTimeout(idle);
        const isNew = child === null;
        child ??= start();
        const result = await askChild<Answer>(child, question, limits(isNew));
        if ("silence" in result) end();
        idle = setTimeout(end, idleMs).unref();
        return result;
      }),
    end,
  };
}

/** Resident memory of a process in bytes; 0 if the system does not provide it. */
export async function residentBytes(pid: number | undefined): Promise<number> {
  try {
    const [, pages = "0"] = (await readFile(`/proc/${pid}/statm`, "utf8")).split(" ");
    return Number(pages) * 4096;
  } catch {
    return 0;
  }
}
