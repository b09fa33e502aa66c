// Clocks of the benchmarks: wall and processor time of one piece of work, and how fast memory can
// be read at all.

export interface Timing {
  /** Milliseconds of wall time. */
  readonly p25: number;
  readonly p50: number;
  readonly p75: number;
  readonly p95: number;
  /** Milliseconds of processor time of all threads, median: what a busy machine does not blur. */
  readonly cpu: number;
  readonly runs: number;
}

export interface Stopwatch {
  time<T>(name: string, work: () => T | Promise<T>): Promise<T>;
  add(name: string, wallMs: number, cpuMs: number): void;
  timings(): Readonly<Record<string, Timing>>;
}

/**
 * Keeps every run by name, so that unlike ways can take turns and what else the machine does hits
 * all alike.
 */
export function stopwatch(): Stopwatch {
  const runs = new Map<string, { readonly wall: number[]; readonly cpu: number[] }>();
  const add = (name: string, wallMs: number, cpuMs: number) => {
    const kept = runs.get(name) ?? { wall: [], cpu: [] };
    runs.set(name, kept);
    kept.wall.push(wallMs);
    kept.cpu.push(cpuMs);
  };
  return {
    add,
    async time(name, work) {
      const before = process.cpuUsage();
      const start = performance.now();
      const answer = await work();
      const wall = performance.now() - start;
      const { user, system } = process.cpuUsage(before);
      add(name, wall, (user + system) / 1000);
      return answer;
    },
    timings: () =>
      Object.fromEntries(
        [...runs].map(([name, { wall, cpu }]) => [
          name,
          {
            p25: quantile(wall, 0.25),
            p50: quantile(wall, 0.5),
            p75: quantile(wall, 0.75),
            p95: quantile(wall, 0.95),
            cpu: quantile(cpu, 0.5),
            runs: wall.length,
          },
        ]),
      ),
  };
}

/** @param share 0–1 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Bytes that are read at a time: many times what any cache holds. */
const READ = 256 * 2 ** 20;

/**
 * Reads memory once, from end to end, by one thread, and does nothing with it: searching for a byte
 * that is not there (`memchr`) is the fastest reader that Node has.
 */
export function memoryReader(): { readonly bytes: number; read(): number } {
  const memory = Buffer.alloc(READ, 1);
  return { bytes: READ, read: () => memory.indexOf(0) };
}
