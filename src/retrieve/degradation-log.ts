// A failure while searching affects only its own part; the log keeps one reason per part for the footer.
import type { Degraded } from "../domain/omissions.ts";
import { publicErrorText } from "../domain/text/public-error-text.ts";

export interface Attempts {
  /** The value, or `instead` when the work throws or rejects; then `part` is degraded. */
  readonly run: <T>(part: string, work: () => Promise<T>, instead: T) => Promise<T>;
  /** Records that a part is degraded; repeated notes about one part are ignored. */
  readonly note: (part: string, reason: string) => void;
  readonly degraded: () => readonly Degraded[];
}

const REASON_CHARS = 160;

export function attempts(): Attempts {
  const noted = new Map<string, { readonly reason: string; times: number }>();
  const note = (part: string, reason: string): boolean => {
    if (noted.has(part)) return false;
    noted.set(part, { reason: publicErrorText(reason, REASON_CHARS), times: 1 });
    return true;
  };
  return {
    note: (part, reason) => void note(part, reason),
    run: async (part, work, instead) => {
      try {
        return await work();
      } catch (error) {
        const isNew = note(part, error instanceof Error ? error.message : "it failed");
        const known = noted.get(part);
        if (!isNew && known !== undefined) known.times += 1;
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
