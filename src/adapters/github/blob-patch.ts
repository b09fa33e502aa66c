// The patch of a file that GitHub shows none of: both texts, compared here.
import { createTwoFilesPatch } from "diff";
import type { Repo } from "../../domain/job.ts";
import type { ListedFile } from "../../ports.ts";
import type { GitHub } from "./clients.ts";

const MAX_BLOB_BYTES = 1_000_000;

/**
 * @param from the merge base
 * @param to the head
 * @returns hunks; null when a text is binary or too large, or the two differ in too much
 */
export async function blobPatch(
  github: GitHub,
  repo: Repo,
  { path, previousPath, status }: Pick<ListedFile, "path" | "previousPath" | "status">,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<string | null> {
  const before = status === "added" ? "" : await blob(github, repo, previousPath ?? path, from);
  const after = status === "removed" ? "" : await blob(github, repo, path, to);
  if (before === null || after === null) return null;
  const patch = createTwoFilesPatch("a", "b", before, after, undefined, undefined, {
    context: 3,
    maxEditLength: 20_000,
    timeout: 5_000,
  });
  const start = patch?.indexOf("@@") ?? -1;
  return patch === undefined || start < 0 ? null : patch.slice(start);
}

async function blob(github: GitHub, repo: Repo, path: string, ref: string): Promise<string | null> {
  // A step in an address and never a file.
  if (path === "." || path === "..") return null;
  const { data } = await github.rest.repos.getContent({ owner: repo.owner, repo: repo.name, path, ref });
  if (Array.isArray(data) || data.type !== "file" || data.encoding !== "base64" || data.size > MAX_BLOB_BYTES)
    return null;
  const bytes = Buffer.from(data.content, "base64");
  return bytes.includes(0) ? null : bytes.toString("utf8");
}
