// What a process has in memory: its own, and pages of files that are mapped and that the system
// takes back when it needs them.
import { readFileSync } from "node:fs";

export interface Resident {
  /** Bytes of the process's own: heaps, buffers, typed arrays. */
  readonly anonymous: number;
  /** Bytes of mapped files, each as often as it is mapped. */
  readonly mapped: number;
  /** Bytes of both together at their most. */
  readonly peak: number;
}

/**
 * Of this process, after a collection where that can be asked for; where there is no /proc, all
 * counts as its own.
 */
export function residentNow(): Resident {
  globalThis.gc?.();
  try {
    const status = readFileSync("/proc/self/status", "utf8");
    const bytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024;
    return { anonymous: bytes("RssAnon"), mapped: bytes("RssFile"), peak: bytes("VmHWM") };
  } catch {
    const { rss } = process.memoryUsage();
    return { anonymous: rss, mapped: 0, peak: rss };
  }
}
