// The files of one commit from GitHub: one listing, and one request for each file that is read.
import type { Repo } from "../../../domain/job.ts";
import type { Tree, TreeFile } from "../../../ports/memory.ts";
import type { GitHub } from "../clients.ts";
import { leaveEnough, pacer, placeOf } from "../requests.ts";
import { translated } from "../translate-error.ts";

interface TreeOptions {
  /** With `contents: read`. */
  readonly github: GitHub;
  readonly repo: Repo;
  readonly commit: string;
  /** Milliseconds between the beginnings of two requests for files. GitHub's secondary limit: 900 points a minute, a GET is one. */
  readonly paceMs: number;
}

/**
 * The tree of a commit. Its methods throw Transient when GitHub cannot answer now, and when the rest of the hourly limit is reserved
 * for reviews.
 */
export function githubTree({ github, repo, commit, paceMs }: TreeOptions): Tree {
  const paced = pacer(paceMs);

  async function text({ hash }: TreeFile): Promise<string | null> {
    const { data, headers } = await github.rest.git.getBlob({ ...placeOf(repo), file_sha: hash });
    leaveEnough(headers);
    const bytes = Buffer.from(data.content, data.encoding === "base64" ? "base64" : "utf8");
    return bytes.includes(0) ? null : bytes.toString("utf8");
  }

  return {
    commit,
    list: () =>
      translated(async () => {
        const at = { ...placeOf(repo), tree_sha: commit };
        const { data } = await github.rest.git.getTree({ ...at, recursive: "1" });
        const files = data.tree.flatMap(({ path, mode, type, sha, size }): TreeFile[] =>
          type === "blob" && mode !== "120000" && sha !== undefined ? [{ path, hash: sha, bytes: size ?? 0 }] : [],
        );
        const incomplete = data.truncated
          ? `GitHub lists only ${files.length} files of this tree; the others are neither read nor forgotten`
          : null;
        return { files, incomplete };
      }),
    async *texts(files) {
      for (const file of files) yield { file, text: await paced(() => translated(() => text(file))) };
    },
  };
}
