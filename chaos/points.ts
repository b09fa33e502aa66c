// Places on the way of a review where the server can be struck: named, armed one at a time.

export interface Points {
  /** Strikes when the way next comes by a place whose name matches; resolves to the name, or null when patience ends. */
  arm(matches: RegExp, patienceMs: number): Promise<string | null>;
  /** Told by whoever sees the way from outside. True: somebody waited for it. */
  reach(name: string): boolean;
  /** How often each place was come by, and struck. */
  readonly seen: ReadonlyMap<string, { passed: number; struck: number }>;
}

export function newPoints(): Points {
  const seen = new Map<string, { passed: number; struck: number }>();
  let armed: { readonly matches: RegExp; readonly strike: (name: string | null) => void } | null = null;
  return {
    seen,
    arm: (matches, patienceMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => {
          armed = null;
          resolve(null);
        }, patienceMs);
        armed = {
          matches,
          strike(name) {
            clearTimeout(timer);
            armed = null;
            resolve(name);
          },
        };
      }),
    reach(name) {
      const count = seen.get(name) ?? { passed: 0, struck: 0 };
      seen.set(name, count);
      count.passed++;
      if (armed === null || !armed.matches.test(name)) return false;
      count.struck++;
      armed.strike(name);
      return true;
    },
  };
}
