// What fails while searching costs its own part only; what went wrong is kept, once for each part, for the footer.
import type { Degraded } from "../domain/outcome.ts";

export interface Attempts {
  /** The value, or `instead` when the work throws or rejects; then `part` is degraded. */
  readonly run: <T>(part: string, work: () => Promise<T>, instead: T) => Promise<T>;
  /** Says that a part works less well than it should. */
  readonly note: (part: string, reason: string) => void;
  readonly degraded: () => readonly Degraded[];
}

const REASON_CHARS = 160;

export function attempts(): Attempts {
  const noted = new Map<string, { readonly reason: string; times: number }>();
  const note = (part: string, reason: string) => {
    const known = noted.get(part);
    if (known === undefined) noted.set(part, { reason, times: 1 });
    else known.times += 1;
  };
  return {
    note,
    run: async (part, work, instead) => {
      try {
        return await work();
      } catch (error) {
        note(part, error instanceof Error ? error.message.slice(0, REASON_CHARS) : "it failed");
        return instead;
      }
    },
    degraded: () =>
      [...noted].map(([part, { reason, times }]) => ({
        part,
        reason: times === 1 ? reason : `${reason} (${times} times)`,
      })),
  };
}
