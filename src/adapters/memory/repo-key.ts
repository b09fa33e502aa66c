import type { RepoKey } from "../../domain/memory.ts";

/**
 * `github.com/42` → host and id; null when either is missing. The empty host is ours, for repositories on their way out.
 */
export function splitRepoKey(key: RepoKey): { readonly host: string; readonly githubId: string } | null {
  const slash = key.indexOf("/");
  if (slash < 1 || slash === key.length - 1) return null;
  return { host: key.slice(0, slash), githubId: key.slice(slash + 1) };
}
