import type { RepoConfig } from "../config/repo-config.ts";
import type { Repo } from "../domain/job.ts";
import type { PullRequest } from "../domain/pull-request.ts";
import type { ToolReport } from "../domain/tool-result.ts";

export interface ToolQuery {
  readonly repo: Repo;
  readonly pull: PullRequest;
  readonly settings: RepoConfig["review"]["tools"];
  /** Head paths of changed files: results elsewhere are not returned. */
  readonly paths: readonly string[];
  /** Whether the head has a file, null if unknown: tells two files with one ending apart. */
  isInHead(path: string): Promise<boolean | null>;
}

/** Other tools' results for a head. Runs no tool. What could not be read is `degraded`. */
export interface ToolResults {
  of(query: ToolQuery): Promise<ToolReport>;
}
