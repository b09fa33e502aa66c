import type { Repo } from "../domain/job.ts";
import type { Degraded } from "../domain/omissions.ts";
import type { PullRequest } from "../domain/pull-request.ts";

export interface SnapshotFile {
  readonly path: string;
  /** The SHA of its git blob: equal text has an equal SHA, so it is the cache key for derived data. */
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
  /** The snapshot of the head, or null with the reason in `degraded`. Never throws for any content of the archive. */
  at(
    repo: Repo,
    pull: PullRequest,
  ): Promise<{ readonly snapshot: Snapshot | null; readonly degraded: readonly Degraded[] }>;
}
