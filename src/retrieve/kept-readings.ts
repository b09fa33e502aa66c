// What was read of memories before: a change is searched for anew with every push, and finds much the same memories.

export interface KeptReadings<T> {
  /** What was read of these texts under this name, if it is still kept; never what was read of other texts. */
  of(name: string, texts: readonly string[]): T | undefined;
  /**
   * Keeps it, and gives it back.
   *
   * @param bytes that it takes, without the texts
   */
  keep(name: string, texts: readonly string[], read: T, bytes: number): T;
}

/** Bytes of texts and of what was read that are kept at most, about: of some 5,000 memories. */
const MOST_BYTES = 16_000_000;
/** Of a reading beside its letters and numbers. */
const OF_EACH = 200;

interface Reading<T> {
  readonly texts: readonly string[];
  readonly read: T;
  readonly bytes: number;
}

/** Without a reading in it. What was asked for lately stays: when the younger half is full, the older one is let go. */
export function keptReadings<T>(mostBytes: number = MOST_BYTES): KeptReadings<T> {
  let younger = new Map<string, Reading<T>>();
  let older = new Map<string, Reading<T>>();
  let bytes = 0;
  const put = (name: string, reading: Reading<T>) => {
    if (bytes + reading.bytes > mostBytes / 2) {
      older = younger;
      younger = new Map();
      bytes = 0;
    }
    bytes += reading.bytes;
    younger.set(name, reading);
  };
  return {
    of(name, texts) {
      const young = younger.get(name);
      const found = young ?? older.get(name);
      if (found === undefined || !texts.every((text, at) => text === found.texts[at])) return;
      if (young === undefined) put(name, found);
      return found.read;
    },
    keep(name, texts, read, more) {
      const letters = texts.reduce((sum, text) => sum + text.length, 0);
      put(name, { texts, read, bytes: letters * 2 + more + OF_EACH });
      return read;
    },
  };
}

/** One keeper for each of what readings are good for, such as a table of words, and gone with it. */
export function keptFor<T>(): (what: object) => KeptReadings<T> {
  const all = new WeakMap<object, KeptReadings<T>>();
  return (what) => {
    const known = all.get(what) ?? keptReadings<T>();
    all.set(what, known);
    return known;
  };
}
