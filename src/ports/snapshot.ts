import type { Repo } from "../domain/job.ts";
import type { Degraded } from "../domain/omissions.ts";
import type { PullRequest } from "../domain/pull-request.ts";

export interface SnapshotFile {
  readonly path: string;
  /** The SHA of its git blob, the same for equal text: the cache key of derived data. */
  readonly blob: string;
  readonly bytes: number;
}

/** The text files of a repository at one commit, read and never run. */
export interface Snapshot {
  readonly sha: string;
  /** By path, without links and files over the size limit; a binary has no text. */
  readonly files: ReadonlyMap<string, SnapshotFile>;
  /** UTF-8 text of a file; null when it is not in `files`, binary, or no longer readable. */
  text(path: string): Promise<string | null>;
}

/** Reads a repository at the head of a pull request. */
export interface Snapshots {
  /** The head's snapshot, or null with the reason. Never throws for any content. */
  at(
    repo: Repo,
    pull: PullRequest,
  ): Promise<{ readonly snapshot: Snapshot | null; readonly degraded: readonly Degraded[] }>;
}
