// An empty memory: for the command line in a clone without one, and for benchmarks of everything else.
import type { Recall } from "../../ports/memory.ts";

/** An empty memory. Queries nothing and starts no thread. */
export function noMemory(): Recall {
  return {
    nearest: () => Promise.resolve([]),
    matching: () => Promise.resolve([]),
    records: () => Promise.resolve([]),
    counts: () => Promise.resolve({ total: 0, byLanguage: new Map(), byCorpus: new Map(), byOutcome: new Map() }),
    version: () => Promise.resolve(0),
  };
}
