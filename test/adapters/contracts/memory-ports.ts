// What the contracts of memory's ports are given: all of them over one store.
import type { EvidenceStore } from "../../../src/ports/feedback.ts";
import type { Embedder, Memory, Recall, RepositoryLabels } from "../../../src/ports/memory.ts";
import type { FlaggedCode, PastCode, PastRejections } from "../../../src/ports/rejections.ts";

/** An empty store. */
export interface OpenMemoryPorts {
  readonly memory: Memory;
  readonly recall: Recall;
  readonly evidence: EvidenceStore;
  readonly past: PastRejections & PastCode & FlaggedCode;
  readonly labels: RepositoryLabels;
  cached(embedder: Embedder, now: () => number): Embedder;
  /** How many rows a table has. */
  count(table: string): Promise<number>;
  /** A statement without values. */
  run(sql: string): Promise<void>;
  close(): Promise<void>;
}

export type OpenMemory = () => Promise<OpenMemoryPorts>;
