// What the MCP tools need of the world: the memory of one data folder, one repository's diff, and nothing that could post.
import type { Repo } from "../domain/job.ts";
import type { Remembered } from "../domain/memory/write-report.ts";
import type { MemoryRecord } from "../domain/memory.ts";
import type { Review } from "../domain/review.ts";
import type { SearchPorts } from "../flows/memory/search-memory.ts";
import type { EvidenceShelf } from "../ports/feedback.ts";
import type { ReviewRecords } from "../ports/talk.ts";
import type { NamedChange } from "../wire/cli/change.ts";

/** Memory as it is in the data folder now. */
export interface McpMemory {
  readonly search: Omit<SearchPorts, "reranker" | "leave">;
  readonly evidence: Pick<EvidenceShelf, "evidence">;
  readonly records: Pick<ReviewRecords, "latest" | "finding">;
  /** The repositories that something is remembered of. */
  readonly known: () => Promise<readonly Repo[]>;
}

export interface McpPorts {
  /** Whom the tools are about unless a call names another. */
  readonly repo: Repo;
  /** Where memory is, for people. */
  readonly folder: string;
  /** May calls name other repositories? */
  readonly isAll: boolean;
  readonly mayWrite: boolean;
  /** A repository by its name among those that memory knows; rejects with the fix. */
  readonly named: (word: string) => Promise<Repo>;
  /** Null while nothing is remembered at all; looking creates no file. */
  readonly memory: () => Promise<McpMemory | null>;
  /** A unified diff as a change of the repository; the folder's configuration holds. */
  readonly change: (repo: Repo, diff: string, title: string, signal: AbortSignal) => Promise<NamedChange>;
  /** Reviews that were written here, newest first; a handful. */
  readonly recent: Review[];
  /** Keeps memories; only called where `mayWrite`. */
  readonly keep: (records: readonly MemoryRecord[]) => Promise<Remembered>;
  /** The name of whoever runs this; null when it cannot be told. */
  readonly person: string | null;
  /** The same value without secrets. */
  readonly clean: <T>(value: T) => Promise<T>;
  /** Unguessable, new each time. */
  readonly delimiter: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly close: () => Promise<void>;
}
