// Ends a worker with all processes that it started: a stuck one would run on by itself.

/** Windows has no process groups; there such a process ends when it reads its next question. */
export const HAS_GROUPS = process.platform !== "win32";

/** SIGKILL to a process and its group, or what is left of it; undefined: it never started. */
export function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(HAS_GROUPS ? -pid : pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}
