// What `kodiai memory` is given: its options, and what its verbs need of the world.
import type { Repo } from "../domain/job.ts";
import type { EvidenceShelf } from "../ports/feedback.ts";
import type { Embedder, Memory, Recall, Replays } from "../ports/memory.ts";
import type { ModelAccess } from "../ports/model.ts";
import type { readWords } from "./usage.ts";

/** What the verb needs of the world. */
export interface MemoryVerbPorts {
  readonly memory: Memory;
  readonly recall: Recall;
  readonly evidence: EvidenceShelf;
  /** What replays came to. */
  readonly replays: Replays | null;
  readonly embedder: Embedder;
  readonly redact: (text: string) => Promise<string>;
  /** The repository that `--repo` names (a folder or OWNER/NAME); undefined is the one here. */
  readonly repoOf: (word: string | undefined) => Promise<Repo>;
  /** The repositories that memory knows. */
  readonly repositories: () => Promise<readonly Repo[]>;
  /** The model that the environment names, for questions about one repository; null without one. */
  readonly access: (repo: Repo) => Promise<ModelAccess | null>;
  /** US$ that models may cost in a month there, as far as its configuration can be read from here. */
  readonly usdPerMonth: (word: string | undefined) => Promise<number>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly close: () => void;
}

export const OPTIONS = {
  repo: { type: "string" },
  "data-dir": { type: "string" },
  format: { type: "string" },
  json: { type: "boolean" },
  corpus: { type: "string" },
  limit: { type: "string" },
  pairs: { type: "boolean" },
  all: { type: "boolean" },
  yes: { type: "boolean" },
  budget: { type: "string" },
} as const;

export type MemoryWords = ReturnType<typeof readWords<typeof OPTIONS>>["values"];

export function isJson(values: MemoryWords): boolean {
  return values.json === true || values.format === "json";
}
