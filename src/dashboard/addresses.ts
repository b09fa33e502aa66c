// The address of each thing in the dashboard. Ids of repositories are numbers, of local clones too;
// hosts are checked on the way in.
import type { RepoKey } from "../domain/memory.ts";

export function repositoryPath(repo: RepoKey): string {
  return `/repositories/${repo.split("/").map(encodeURIComponent).join("/")}`;
}

/** What addresses of a repository's memory end with: its file, and where a file is imported. */
export const EXPORT = "/memory.jsonl";
export const IMPORT = "/import";

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
