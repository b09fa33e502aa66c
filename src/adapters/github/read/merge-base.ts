// Where a branch left its base.
import type { Repo } from "../../../domain/job.ts";
import type { GitHub } from "../clients.ts";

/** The newest common ancestor of two commits. */
export async function mergeBaseOf(github: GitHub, repo: Repo, base: string, head: string): Promise<string> {
  const { data } = await github.rest.repos.compareCommitsWithBasehead({
    owner: repo.owner,
    repo: repo.name,
    basehead: `${base}...${head}`,
    per_page: 1,
  });
  return data.merge_base_commit.sha;
}
