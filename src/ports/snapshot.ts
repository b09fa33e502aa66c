import type { Repo } from "../domain/job.ts";
import type { Degraded, LeftOut } from "../domain/omissions.ts";
import type { PullRequest } from "../domain/pull-request.ts";

/** A text file of a snapshot. */
export interface SnapshotFile {
  readonly path: string;
  /** The SHA of its blob in git: equal text has an equal SHA, so what is derived from a file is cached by it. */
  readonly blob: string;
  readonly bytes: number;
}

/** The text files of a repository at one commit, read and never run. */
export interface Snapshot {
  readonly sha: string;
  /** By path; links and files over the limit of a file are not among them, and a binary has no text. */
  readonly files: ReadonlyMap<string, SnapshotFile>;
  /** Files that should be there and whose text could not be read, with the reason. */
  readonly unread: readonly LeftOut[];
  /** UTF-8 text of a file; null where `files` does not have it, it is binary, or it can no longer be read. */
  text(path: string): Promise<string | null>;
}

/** Reads a repository at the head of a pull request. */
export interface Snapshots {
  /** The snapshot of the head, or null with the reason in `degraded`. Never throws for what the archive holds. */
  at(
    repo: Repo,
    pull: PullRequest,
  ): Promise<{ readonly snapshot: Snapshot | null; readonly degraded: readonly Degraded[] }>;
}
