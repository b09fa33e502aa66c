// Until when each installation is to be left alone: this process knows as soon as GitHub says so, the others as soon as the store takes it.
import { Transient } from "../../domain/errors.ts";
import type { InstallationPace } from "../../ports/writes.ts";

/** Between two tries to tell a store that does not answer. */
const AGAIN_MS = 250;

export type InstallationLimits = Pick<InstallationPace, "closedFor" | "close">;

/**
 * The same limits, which hold in this process whether the store can be written or not: a database that is away when GitHub asks us to
 * wait is told when it is back. `close` never fails for it.
 *
 * @param now milliseconds of a clock that nobody sets
 */
export function installationLimits(
  store: InstallationLimits,
  now: () => number = () => performance.now(),
): InstallationLimits {
  const until = new Map<number, number>();
  const left = (id: number) => Math.max(0, (until.get(id) ?? 0) - now());

  /** False when the store does not answer now. */
  async function told(id: number, forMs: number): Promise<boolean> {
    try {
      await store.close(id, forMs);
      return true;
    } catch (error) {
      if (error instanceof Transient) return false;
      throw error;
    }
  }

  function tellLater(id: number): void {
    const again = async () => {
      const forMs = left(id);
      if (forMs > 0 && !(await told(id, forMs))) tellLater(id);
    };
    // What a store says that is closed by now concerns nobody.
    setTimeout(() => void again().catch(() => {}), AGAIN_MS).unref();
  }

  return {
    async closedFor(id) {
      return left(id) || store.closedFor(id);
    },
    async close(id, forMs) {
      until.set(id, now() + Math.max(left(id), forMs));
      if (!(await told(id, forMs))) tellLater(id);
    },
  };
}
