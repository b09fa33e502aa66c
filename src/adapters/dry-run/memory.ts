// Memory that is read and never written: a dry run posts nothing, so nothing may be stored as posted.
import type { EvidenceStore } from "../../ports/feedback.ts";
import type { Memory } from "../../ports/memory.ts";

/** `real` is only read from; writes are discarded. */
export function dryRunMemory(real: Memory): Memory {
  return {
    ...real,
    remember: () => Promise.resolve({ added: 0, updated: 0, refused: [] }),
    forget: () => Promise.resolve(0),
    forgetRepository: () => Promise.resolve(0),
  };
}

/** The same for feedback: read, and not stored. */
export function dryRunEvidence(real: EvidenceStore): EvidenceStore {
  return {
    ...real,
    add: () => Promise.resolve(0),
    withdraw: () => Promise.resolve(),
    decide: () => Promise.resolve(0),
    keepFixes: () => Promise.resolve(),
  };
}
