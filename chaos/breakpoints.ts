// Named points of a review at which the harness can disturb the server. A disturbance arms one and
// waits for it.

export interface Breakpoints {
  /**
   * Strikes when the way next comes by a place whose name matches; resolves to the name, or null
   * when patience ends. Of several that wait the first is struck.
   */
  arm(matches: RegExp, patienceMs: number, server?: number): Promise<string | null>;
  /**
   * Reports from outside that a server passed the point, with the server if known. True if the
   * point was armed.
   */
  reach(name: string, server?: number): boolean;
  /** How often each place was come by, and struck. */
  readonly seen: ReadonlyMap<string, { passed: number; struck: number }>;
}

interface Armed {
  readonly matches: RegExp;
  readonly server: number | undefined;
  readonly strike: (name: string | null) => void;
}

export function newBreakpoints(): Breakpoints {
  const seen = new Map<string, { passed: number; struck: number }>();
  const waiting = new Set<Armed>();
  return {
    seen,
    arm: (matches, patienceMs, server) =>
      new Promise((resolve) => {
        const armed: Armed = {
          matches,
          server,
          strike(name) {
            clearTimeout(timer);
            waiting.delete(armed);
            resolve(name);
          },
        };
        const timer = setTimeout(() => armed.strike(null), patienceMs);
        waiting.add(armed);
      }),
    reach(name, by) {
      const count = seen.get(name) ?? { passed: 0, struck: 0 };
      seen.set(name, count);
      count.passed++;
      const armed = [...waiting].find(
        ({ matches, server }) => matches.test(name) && (server === undefined || server === by),
      );
      if (armed === undefined) return false;
      count.struck++;
      armed.strike(name);
      return true;
    },
  };
}
