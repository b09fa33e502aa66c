import type { Symbols } from "../../src/ports/symbols.ts";

/** A reader that finds nothing. */
export const NO_SYMBOLS: Symbols = {
  outline: async () => [],
  find: async () => ({ symbols: new Map(), degraded: [] }),
  having: async () => new Map(),
  links: async () => null,
  missed: () => [],
};
