// Identifies a process, so that another one on the machine can see whether it is alive.
import { readFileSync, readlinkSync } from "node:fs";

/** `BOOT PID-NAMESPACE PID START`; null if the system does not provide it. */
export function processMark(): string | null {
  const place = placeOf();
  const start = startOf(process.pid);
  return place === null || start === null ? null : `${place} ${process.pid} ${start}`;
}

/** True only when it is certain: a process elsewhere, or a suspended one, counts as alive. */
export function isDead(mark: string): boolean {
  const place = placeOf();
  const [boot, namespace, pid, start] = mark.split(" ");
  if (place === null || `${boot} ${namespace}` !== place) return false;
  return startOf(Number(pid)) !== start;
}

/** Process ids are valid only within their namespace. */
function placeOf(): string | null {
  const boot = bootId();
  return boot === null ? null : orNull(() => `${boot} ${readlinkSync("/proc/self/ns/pid")}`);
}

/** When a process started, in ticks since boot; null when there is none, or only a zombie. */
function startOf(pid: number): string | null {
  const stat = orNull(() => readFileSync(`/proc/${pid}/stat`, "utf8")) ?? "";
  // The second field, the name, may contain anything: the fields are read after the last bracket.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? null : (fields[19] ?? null);
}

/** The id of this boot of the machine; null if the system does not provide it. */
function bootId(): string | null {
  return orNull(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
}

function orNull(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
