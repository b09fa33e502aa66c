// Memory that is read and never written: in a dry run nothing was posted, so nothing may be remembered as posted.
import type { EvidenceStore } from "../../ports/feedback.ts";
import type { Memory } from "../../ports/memory.ts";

/** `real` is only read from; what would be written is forgotten at once. */
export function dryRunMemory(real: Memory): Memory {
  return {
    ...real,
    remember: () => Promise.resolve({ added: 0, updated: 0, refused: [] }),
    forget: () => Promise.resolve(0),
    forgetRepository: () => Promise.resolve(0),
  };
}

/** The same of what people did: seen, and not kept. */
export function dryRunEvidence(real: EvidenceStore): EvidenceStore {
  return {
    ...real,
    add: () => Promise.resolve(0),
    withdraw: () => Promise.resolve(),
    decide: () => Promise.resolve(0),
    keepFixes: () => Promise.resolve(),
  };
}
