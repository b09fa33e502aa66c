// A failure while searching affects only its own part: one reason per part, for the footer.
import type { Degraded } from "../domain/omissions.ts";
import { publicErrorText } from "../domain/text/public-error-text.ts";

export type Attempts = ReturnType<typeof attempts>;

const REASON_CHARS = 160;

export function attempts() {
  const noted = new Map<string, string>();
  /** Records that a part is degraded; repeated notes about one part are ignored. */
  const note = (part: string, reason: string) => {
    if (!noted.has(part)) noted.set(part, publicErrorText(reason, REASON_CHARS));
  };
  return {
    note,
    /** The value, or `instead` when the work throws or rejects; then `part` is degraded. */
    run: async <T>(part: string, work: () => Promise<T>, instead: T): Promise<T> => {
      try {
        return await work();
      } catch (error) {
        note(part, error instanceof Error ? error.message : "it failed");
        return instead;
      }
    },
    degraded: (): readonly Degraded[] => [...noted].map(([part, reason]) => ({ part, reason })),
  };
}
