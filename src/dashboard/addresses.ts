// Where each thing stands in the dashboard. Ids of repositories are numbers, of local clones too; hosts are checked on the way in.
import type { Context } from "hono";
import type { RepoKey } from "../domain/memory.ts";
import type { DashboardPorts } from "./dashboard-ports.ts";

export function repositoryPath(repo: RepoKey): string {
  return `/repositories/${repo.split("/").map(encodeURIComponent).join("/")}`;
}

export function memoryPath(repo: RepoKey, memoryId: string): string {
  return `/memories/${repo.split("/").map(encodeURIComponent).join("/")}/${encodeURIComponent(memoryId)}`;
}

/** @param key `HOST/REPO_ID#NUMBER` */
export function reviewPath(key: string, headSha: string): string {
  const [repo = "", number = ""] = key.split("#");
  return `/reviews/${repo.split("/").map(encodeURIComponent).join("/")}/${number}/${headSha}`;
}

export function memoriesPath(repo: RepoKey, query: Readonly<Record<string, string>> = {}): string {
  return `/memories?${new URLSearchParams({ repo, ...query }).toString()}`;
}

// What a request has once it is past the login.

export type Inside = {
  readonly Variables: {
    readonly formToken: string;
    /** As whoever looks may see them. */
    readonly ports: DashboardPorts;
  };
};

/** `HOST/REPO_ID` of an address. */
export function repoOf(c: Context<Inside>): string {
  return `${c.req.param("host")}/${c.req.param("id")}`;
}
