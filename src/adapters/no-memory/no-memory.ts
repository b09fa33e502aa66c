// In place of a memory: an empty one, and one that could not be opened.
import type { EvidenceStore } from "../../ports/feedback.ts";
import type { Memory, Recall, RepositoryLabels } from "../../ports/memory.ts";

/**
 * An empty memory, for the command line in a clone without one, and for benchmarks of everything
 * else. Queries nothing and starts no thread.
 */
export function noMemory(): Recall {
  return {
    off: null,
    nearest: () => Promise.resolve([]),
    matching: () => Promise.resolve([]),
    records: () => Promise.resolve([]),
    counts: () => Promise.resolve({ total: 0, byLanguage: new Map(), byCorpus: new Map(), byOutcome: new Map() }),
    version: () => Promise.resolve(0),
  };
}

/**
 * Memory that did not open: reviews run without it and show why; nothing counts as stored.
 *
 * @param reason one line; it is shown in reviews, so it must not name a file of the server
 */
export function memoryOff(reason: string): {
  readonly recall: Recall;
  readonly memory: Memory;
  readonly labels: RepositoryLabels;
  readonly evidence: EvidenceStore;
} {
  const fail = () => Promise.reject(new Error(reason));
  return {
    recall: { off: reason, nearest: fail, matching: fail, records: fail, counts: fail, version: fail },
    memory: { remember: fail, known: fail, fields: fail, fieldCounts: fail, forget: fail, forgetRepository: fail },
    evidence: {
      findings: fail,
      evidence: fail,
      pulls: fail,
      add: fail,
      withdraw: fail,
      decide: fail,
      keepFixes: fail,
      pullOf: fail,
    },
    labels: { relabel: fail, give: fail, all: fail },
  };
}
