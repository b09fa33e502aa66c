// GitHub's listing of changed files tells no modes: a symbolic link looks like a text of one line, a submodule like two.
import type { Repo } from "../../domain/job.ts";
import type { ListedFile } from "../../ports.ts";
import type { GitHub } from "./clients.ts";

const SUBMODULE = /^@@ [^\n]{1,60}\n(?:[-+]Subproject commit [0-9a-f]{40,64}(?:\n|$)){1,2}/;
/** One line at most on either side, and the new one without a line end: how git prints the target of a link. */
const LIKE_A_LINK =
  /^@@ -(?:0,0|1|1,1) \+1(?:,1)? @@\n(?:-[^\n]*\n(?:\\[^\n]*\n)?)?\+[^\n]{1,4096}\n\\ No newline[^\n]*$/;

/**
 * Modes of files that are links or submodules; all others are left out. Asks GitHub for the tree of the head only when a
 * file looks like a link.
 *
 * @returns path → `120000` or `160000`
 */
export async function specialModes(
  github: GitHub,
  repo: Repo,
  headSha: string,
  files: readonly ListedFile[],
): Promise<ReadonlyMap<string, string>> {
  const modes = new Map<string, string>();
  for (const { path, patch } of files) if (patch !== null && SUBMODULE.test(patch)) modes.set(path, "160000");
  const suspects = new Set(
    files.filter(({ patch }) => patch !== null && LIKE_A_LINK.test(patch)).map(({ path }) => path),
  );
  if (suspects.size === 0) return modes;
  const at = { owner: repo.owner, repo: repo.name };
  const { data } = await github.rest.git.getTree({ ...at, tree_sha: headSha, recursive: "1" });
  for (const { path, mode } of data.tree) if (mode === "120000" && suspects.has(path)) modes.set(path, mode);
  return modes;
}
