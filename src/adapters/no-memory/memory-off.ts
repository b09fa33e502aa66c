// Memory that could not be opened: reviews run without it and show why, and nothing counts as stored.
import type { EvidenceStore } from "../../ports/feedback.ts";
import type { Memory, Recall, RepositoryLabels } from "../../ports/memory.ts";

/** @param reason one line; it is shown in reviews, so it must not name a file of the server */
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
