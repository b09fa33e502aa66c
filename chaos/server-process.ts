// The server under test: the real one, as a process that is configured by its environment, struck,
// frozen and started again.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { History } from "./history.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const EGRESS_LOG = new URL("./egress-log.mjs", import.meta.url).href;
/** Ten times what a start takes on a busy machine. */
const START_MS = 60_000;
const LOOK_MS = 15;

export interface ServerOptions {
  /** Of the child; PORT and the rest of the harness's own are added. */
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  /** An empty folder for the log and the list of connections. */
  readonly folder: string;
  readonly history: History;
  /** For Node, before the program; usually nothing. */
  readonly args?: readonly string[];
  /** Which of several it is; absent where there is one. */
  readonly index?: number | undefined;
  /** A fail point of the server's own at which it is to kill itself. */
  readonly failAt?: string | null;
}

export interface ServerProcess {
  readonly pid: number;
  readonly isAlive: () => boolean;
  /** It has answered once. */
  readonly isListening: () => boolean;
  /** Resolves to its exit code when the process has ended. */
  readonly exited: Promise<number | null>;
  /** Resolves true when it listens, false when it ended before. */
  readonly listening: Promise<boolean>;
  /** kill -9; resolves when it has ended. */
  kill(where: string): Promise<void>;
  /** SIGTERM; resolves to its exit code. */
  terminate(): Promise<number | null>;
  /** kill -9 of its worker process, which it then replaces; false when there is none. */
  killWorker(): boolean;
  /** With its worker. */
  freeze(): void;
  thaw(): void;
  rssMiB(): number | null;
}

export function startServer({
  env,
  port,
  folder,
  history,
  args = [],
  failAt = null,
  index,
}: ServerOptions): ServerProcess {
  const output = openSync(join(folder, "server.log"), "a");
  const child = spawn(process.execPath, [...args, "--import", EGRESS_LOG, MAIN], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      ...(process.env.NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
      CHAOS_EGRESS_LOG: join(folder, "egress.log"),
      HOST: "127.0.0.1",
      PORT: String(port),
      ...env,
      ...(failAt === null ? {} : { KODIAI_FAIL_AT: failAt }),
    },
    stdio: ["ignore", output, output],
  });
  closeSync(output);
  const which = index === undefined ? {} : { process: index };
  const note = (
    what: "started" | "listening" | "killed" | "terminated" | "exited" | "stopped" | "continued" | "worker killed",
    where: string | null = null,
  ) => history.note({ kind: "process", at: Date.now(), what, where, ...which });
  note("started");
  let isAlive = true;
  let hasListened = false;
  let isExpected = false;
  const exited = new Promise<number | null>((resolve) => {
    child.once("exit", (code, signal) => {
      isAlive = false;
      if (isExpected) return resolve(code);
      if (signal === "SIGKILL" && failAt !== null) note("killed", failAt);
      else history.note({ kind: "process", at: Date.now(), what: "exited", where: "by itself", code, ...which });
      resolve(code);
    });
  });
  const pid = child.pid ?? 0;
  return {
    pid,
    isAlive: () => isAlive,
    isListening: () => isAlive && hasListened,
    exited,
    listening: waitUntilListening(child, port, () => isAlive).then((listens) => {
      hasListened = listens;
      if (listens) note("listening");
      return listens;
    }),
    async kill(where) {
      if (!isAlive) return;
      isExpected = true;
      child.kill("SIGKILL");
      note("killed", where);
      await exited;
    },
    async terminate() {
      isExpected = true;
      child.kill("SIGTERM");
      note("terminated");
      return exited;
    },
    killWorker() {
      const isKilled = signalWorker(pid, "SIGKILL");
      if (isKilled) note("worker killed");
      return isKilled;
    },
    freeze() {
      signalWorker(pid, "SIGSTOP");
      if (child.kill("SIGSTOP")) note("stopped");
    },
    thaw() {
      signalWorker(pid, "SIGCONT");
      if (child.kill("SIGCONT")) note("continued");
    },
    rssMiB() {
      if (!isAlive) return null;
      const sizes = [pid, workerOf(pid)].flatMap((one) => (one === null ? [] : (rssOf(one) ?? [])));
      return sizes.length === 0 ? null : Math.max(...sizes);
    },
  };
}

function rssOf(pid: number): number | null {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return null;
  }
}

/** The process that runs a server's jobs; null where there is none. */
export function workerOf(server: number): number | null {
  try {
    const children = readFileSync(`/proc/${server}/task/${server}/children`, "utf8").trim().split(" ");
    const isWorker = (pid: string) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("job-process");
    return Number(children.find((pid) => pid !== "" && isWorker(pid)) ?? Number.NaN) || null;
  } catch {
    return null;
  }
}

function signalWorker(server: number, signal: NodeJS.Signals): boolean {
  const pid = workerOf(server);
  try {
    return pid !== null && process.kill(pid, signal);
  } catch {
    return false;
  }
}

async function waitUntilListening(child: ChildProcess, port: number, isAlive: () => boolean): Promise<boolean> {
  for (let waited = 0; waited < START_MS && isAlive(); waited += LOOK_MS) {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(5_000) }).catch(
      () => null,
    );
    if (answer?.ok === true) return true;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  if (isAlive()) child.kill("SIGKILL");
  return false;
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return typeof address === "object" && address !== null ? address.port : 0;
}
