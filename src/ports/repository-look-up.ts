// Where a repository is now: for a job whose repository GitHub no longer shows.
import type { Repo } from "../domain/job.ts";
import type { AnyJob } from "../ports.ts";
import type { RepositoryHost } from "./memory.ts";

export interface RepositoryLookUp {
  /** Looks up the job's repository, through any installation that reaches it now. */
  readonly host: Pick<RepositoryHost, "lookUp">;
  readonly installationOf: (repo: Repo) => Promise<number | null>;
}

export type LocateRepository = (job: Pick<AnyJob, "installationId" | "repo">) => RepositoryLookUp;
