// Where nothing is remembered: the command line beside a clone that has no memory, and benchmarks of the rest.
import type { Recall } from "../../ports/memory.ts";

/** An empty memory. Asks nothing and starts no thread. */
export function noMemory(): Recall {
  return {
    nearest: () => Promise.resolve([]),
    matching: () => Promise.resolve([]),
    records: () => Promise.resolve([]),
    counts: () => Promise.resolve({ total: 0, byLanguage: new Map(), byCorpus: new Map(), byOutcome: new Map() }),
    version: () => Promise.resolve(0),
  };
}
