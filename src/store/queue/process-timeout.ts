// Which processes have been silent for too long, as one process sees the others: the clocks of others do not matter.

/** A process that looks rarely, because it stood still or the store was away, counts no more than this for one look. */
const MOST_A_LOOK_MS = 10_000;

/** A process as the store knows it: its own name, its mark (see processMark), and how often it has reported that it lives. */
export interface Beating {
  readonly id: string;
  readonly process: string | null;
  readonly beats: number;
}

export interface SilenceWatch {
  /** True when it was silent for too long, by what this process saw itself. `now` is of a clock that nothing sets. */
  isSilent(other: Pick<Beating, "id" | "beats">, now: number): boolean;
  /** It is not looked at any more. */
  forget(id: string): void;
}

interface Seen {
  readonly beats: number;
  readonly at: number;
  readonly silentFor: number;
}

/** @param silentMs how long another may be silent */
export function silenceWatch(silentMs: number): SilenceWatch {
  const seen = new Map<string, Seen>();
  return {
    isSilent({ id, beats }, now) {
      const last = seen.get(id);
      const passed = last === undefined || last.beats !== beats ? null : Math.min(now - last.at, MOST_A_LOOK_MS);
      const silentFor = passed === null || last === undefined ? 0 : last.silentFor + Math.max(0, passed);
      seen.set(id, { beats, at: now, silentFor });
      return silentFor >= silentMs;
    },
    forget: (id) => void seen.delete(id),
  };
}
