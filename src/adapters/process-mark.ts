// Which process is meant, so that another on the same machine can see whether it still lives.
import { readFileSync, readlinkSync } from "node:fs";

/** `BOOT PID-NAMESPACE PID START`; null where the system does not tell. */
export function processMark(): string | null {
  const place = placeOf();
  const start = startOf(process.pid);
  return place === null || start === null ? null : `${place} ${process.pid} ${start}`;
}

/** True only when it is certain: a process elsewhere, or one that stands still, is not gone. */
export function isGone(mark: string): boolean {
  const place = placeOf();
  const [boot, namespace, pid, start] = mark.split(" ");
  if (place === null || `${boot} ${namespace}` !== place) return false;
  return startOf(Number(pid)) !== start;
}

/** Process numbers mean nothing outside of their namespace. */
function placeOf(): string | null {
  try {
    const boot = bootId();
    return boot === null ? null : `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return null;
  }
}

/** When a process started, in ticks since boot; null when there is none, or only what its parent has not yet buried. */
function startOf(pid: number): string | null {
  try {
    // The second field, its name, may hold anything: what counts stands behind the last bracket.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

/** Of this start of the machine; null where the system does not tell. */
export function bootId(): string | null {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return null;
  }
}
