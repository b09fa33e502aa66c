// The longest stretch in which this process did one thing, in its processor time and in loops of
// the same run, so that neither other processes nor a slow machine change the figure.
import { createHash } from "node:crypto";

/** Processor milliseconds of this process; other processes of the machine change nothing. */
function spent(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The same work on every machine, some 100 ms. */
function loop(): number {
  const bytes = Buffer.alloc(1 << 20);
  const before = spent();
  for (let at = 0; at < 100; at++) createHash("sha256").update(bytes).digest();
  return spent() - before;
}

export interface LongestTurn {
  readonly ms: number;
  readonly loops: number;
}

/** Measures turns of this process while `work` is awaited. */
export async function longestTurn(work: () => Promise<unknown>): Promise<LongestTurn> {
  let ms = 0;
  let before = spent();
  const clock = setInterval(() => {
    const now = spent();
    ms = Math.max(ms, now - before);
    before = now;
  }, 1);
  try {
    await work();
  } finally {
    clearInterval(clock);
  }
  return { ms, loops: ms / Math.min(loop(), loop(), loop()) };
}
