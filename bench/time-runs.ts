// Runs a piece of work often enough to say how long it takes, in a process of its own, and prints
// what it saw as JSON.

export interface Measured {
  readonly importMs: number;
  /** The first run: nothing is compiled or cached yet. */
  readonly firstMs: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  /**
   * Median of the processor time of a run, user and system, all threads: what a busy machine does
   * not blur.
   */
  readonly cpuMs: number;
  readonly runs: number;
  /** Peak resident set of the process, MiB. */
  readonly peakMiB: number;
  /** What the work returned, to see that it did something. */
  readonly result: number;
}

const RUNS = 30;
const WARM_UP = 5;

/** @param importMs how long the imports of the work took */
export async function measured(importMs: number, work: () => Promise<number>): Promise<void> {
  const times: number[] = [];
  const cpu: number[] = [];
  let result = 0;
  for (let run = 0; run < WARM_UP + RUNS; run++) {
    const before = process.cpuUsage();
    const started = performance.now();
    result = await work();
    times.push(performance.now() - started);
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1000);
  }
  const at = (all: readonly number[], share: number) =>
    all.slice(WARM_UP).toSorted((a, b) => a - b)[Math.floor(RUNS * share)] ?? 0;
  const seen: Measured = {
    importMs,
    firstMs: times[0] ?? 0,
    medianMs: at(times, 0.5),
    p95Ms: at(times, 0.95),
    cpuMs: at(cpu, 0.5),
    runs: RUNS,
    peakMiB: process.resourceUsage().maxRSS / 1024,
    result,
  };
  console.log(JSON.stringify(seen));
}
