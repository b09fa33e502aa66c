// What a process asks of the system, told by strace: in which order, and with answers of our own.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { until } from "./app-harness.ts";

/** Whether strace can be used here at all; says so where not. */
export function canTrace(): boolean {
  try {
    execFileSync("strace", ["-o", "/dev/null", "-e", "trace=write", "true"], { stdio: "ignore" });
    return true;
  } catch {
    console.warn("skipped: strace is not there, or may not trace");
    return false;
  }
}

/**
 * The program and its words that trace a server from its start; the file gets one line a call, with
 * paths.
 */
export function tracing(file: string): readonly string[] {
  const calls = "trace=fsync,fdatasync,pwrite64,write,writev,sendto,sendmsg,read,recvfrom";
  return ["strace", "-f", "-y", "-qq", "-s", "64", "-e", calls, "-e", "signal=none", "-o", file];
}

/**
 * Whether each answer `202` in a trace was written after everything that was written to the log of
 * the database before it had been synced, and whether each had a sync of its own, after its request
 * was read. Returns what is wrong, one line for each.
 */
export function unsyncedAnswers(trace: string): readonly string[] {
  const wrong: string[] = [];
  let unsynced = 0;
  let syncs = 0;
  let answers = 0;
  for (const line of finished(trace)) {
    // What was synced before is not what this one brings.
    if (/^(?:read|recvfrom)\(.*"POST \//.test(line)) syncs = 0;
    if (/^pwrite64\(\d+<[^>]*queue\.db-wal>/.test(line)) unsynced += 1;
    if (/^f(?:data)?sync\(\d+<[^>]*queue\.db-wal>\).*= 0$/.test(line)) {
      unsynced = 0;
      syncs += 1;
    }
    if (!line.includes('"HTTP/1.1 202')) continue;
    answers += 1;
    if (unsynced > 0) wrong.push(`answer ${answers} before ${unsynced} writes were synced`);
    if (syncs === 0) wrong.push(`answer ${answers} without a sync since the one before`);
    syncs = 0;
  }
  return answers === 0 ? ["no answer"] : wrong;
}

/**
 * Calls in the order in which they returned, without the process: those that strace tells in two
 * parts, put together.
 */
function finished(trace: string): readonly string[] {
  const begun = new Map<string, string>();
  return trace.split("\n").flatMap((line) => {
    const [, pid = "", call = ""] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    const start = / <unfinished \.\.\.>$/.exec(call);
    if (start !== null) {
      begun.set(pid, call.slice(0, start.index));
      return [];
    }
    const rest = /^<\.\.\. \w+ resumed>(.*)$/.exec(call);
    return [rest === null ? call : `${begun.get(pid) ?? ""}${rest[1] ?? ""}`];
  });
}

/**
 * From now on such a call of the process on the path fails as told (`pwrite64:error=ENOSPC`), until
 * `stop`.
 */
export async function failing(pid: number, path: string, inject: string): Promise<{ stop(): Promise<void> }> {
  const tracer: ChildProcess = spawn("strace", ["-f", "-p", String(pid), "-P", path, "-e", `inject=${inject}`]);
  let said = "";
  tracer.stderr?.on("data", (chunk) => (said += String(chunk)));
  await until("strace is attached", () => said.includes("attached") || tracer.exitCode !== null);
  if (tracer.exitCode !== null) throw new Error(said);
  return {
    async stop() {
      tracer.kill("SIGINT");
      await until("strace is gone", () => tracer.exitCode !== null || tracer.signalCode !== null);
    },
  };
}
