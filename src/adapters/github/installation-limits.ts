// How long each installation must wait: this process knows as soon as GitHub says so, the others once the store has it.
import { Transient } from "../../domain/errors.ts";
import type { InstallationPace } from "../../ports/writes.ts";

/** Between two attempts to write to a store that does not answer. */
const AGAIN_MS = 250;

export type InstallationLimits = Pick<InstallationPace, "closedFor" | "close">;

/**
 * The same limits, which apply in this process even if the store cannot be written: a database that is down when GitHub asks us to
 * wait is updated once it is back. `close` never fails because of the store.
 *
 * @param now milliseconds of a monotonic clock
 */
export function installationLimits(
  store: InstallationLimits,
  now: () => number = () => performance.now(),
): InstallationLimits {
  const until = new Map<number, number>();
  const left = (id: number) => Math.max(0, (until.get(id) ?? 0) - now());

  /** False when the store does not answer now. */
  async function saved(id: number, forMs: number): Promise<boolean> {
    try {
      await store.close(id, forMs);
      return true;
    } catch (error) {
      if (error instanceof Transient) return false;
      throw error;
    }
  }

  function retryLater(id: number): void {
    const again = async () => {
      const forMs = left(id);
      if (forMs > 0 && !(await saved(id, forMs))) retryLater(id);
    };
    // Errors of a store that was closed meanwhile do not matter.
    setTimeout(() => void again().catch(() => {}), AGAIN_MS).unref();
  }

  return {
    async closedFor(id) {
      return left(id) || store.closedFor(id);
    },
    async close(id, forMs) {
      until.set(id, now() + Math.max(left(id), forMs));
      if (!(await saved(id, forMs))) retryLater(id);
    },
  };
}
