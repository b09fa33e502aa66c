// Ends a worker process with all processes that it started: one that reads code may be stuck, and would run on by itself.

/** Windows has no process groups; there such a process ends when it comes to read its next question. */
export const HAS_GROUPS = process.platform !== "win32";

/** SIGKILL to a process that leads a group of its own, and to what is left of that group; undefined: it never started. */
export function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(HAS_GROUPS ? -pid : pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}
