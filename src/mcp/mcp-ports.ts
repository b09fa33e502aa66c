// Ports of the MCP tools: the memory of one data folder, and reviews of one repository's diffs. None of them can post.
import type { Repo } from "../domain/job.ts";
import type { Remembered } from "../domain/memory/write-report.ts";
import type { MemoryRecord } from "../domain/memory.ts";
import type { Review } from "../domain/review.ts";
import type { SearchPorts } from "../flows/memory/search-memory.ts";
import type { ReviewRecords } from "../ports/conversation.ts";
import type { EvidenceStore } from "../ports/feedback.ts";
import type { NamedChange } from "../wire/cli/change.ts";

/** The current memory in the data folder. */
export interface McpMemory {
  readonly search: Omit<SearchPorts, "reranker" | "leave">;
  readonly evidence: Pick<EvidenceStore, "evidence">;
  readonly records: Pick<ReviewRecords, "latest" | "finding">;
  /** The repositories with memories. */
  readonly known: () => Promise<readonly Repo[]>;
}

export interface McpPorts {
  /** The default repository, unless a call names another. */
  readonly repo: Repo;
  /** The data folder, for messages. */
  readonly folder: string;
  /** Whether calls may name other repositories. */
  readonly isAll: boolean;
  readonly mayWrite: boolean;
  /** Finds a repository in memory by name; rejects with the fix. */
  readonly named: (word: string) => Promise<Repo>;
  /** Null while there is no memory at all; reading creates no file. */
  readonly memory: () => Promise<McpMemory | null>;
  /** A unified diff as a change of the repository, with the folder's configuration. */
  readonly change: (repo: Repo, diff: string, title: string, signal: AbortSignal) => Promise<NamedChange>;
  /** A few of the reviews that this server wrote, newest first. */
  readonly recent: Review[];
  /** Stores memories; only called when `mayWrite`. */
  readonly keep: (records: readonly MemoryRecord[]) => Promise<Remembered>;
  /** The name of the user who runs this; null when unknown. */
  readonly person: string | null;
  /** The same value without secrets. */
  readonly clean: <T>(value: T) => Promise<T>;
  /** Unguessable, new each time. */
  readonly delimiter: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly close: () => Promise<void>;
}
