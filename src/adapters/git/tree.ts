// The files of one commit of a local clone: one listing, and one process that reads the blobs one after another.
import type { Tree, TreeFile } from "../../ports/memory.ts";
import { blobReader, textOf } from "./blob-reader.ts";
import { git, gitText } from "./git.ts";

/**
 * The tree of a revision.
 *
 * @throws GitFailed when the folder is not a repository or the revision does not exist
 */
export async function gitTree(cwd: string, revision: string): Promise<Tree> {
  const commit = await gitText(cwd, ["rev-parse", "--verify", "--end-of-options", `${revision}^{commit}`]);
  // From the top of the clone, whichever of its folders was named.
  const list = async () => {
    const files = parseListing(await git(cwd, ["ls-tree", "-r", "-z", "-l", "--full-tree", commit]));
    return { files, incomplete: null };
  };
  return { commit, list, texts: (files) => texts(cwd, files) };
}

/** `MODE blob HASH SIZE\tPATH` with a NUL after each. Links (120000) and submodules are not files. */
function parseListing(listing: Buffer): TreeFile[] {
  const files: TreeFile[] = [];
  for (const entry of listing.toString("utf8").split("\0")) {
    const tab = entry.indexOf("\t");
    const [mode, type, hash, size] = entry.slice(0, tab).split(/ +/);
    if (tab === -1 || type !== "blob" || mode === "120000" || hash === undefined) continue;
    files.push({ path: entry.slice(tab + 1), hash, bytes: Number(size) });
  }
  return files;
}

async function* texts(
  cwd: string,
  files: readonly TreeFile[],
): AsyncGenerator<{ readonly file: TreeFile; readonly text: string | null }> {
  const blobs = blobReader(cwd);
  try {
    for (const file of files) yield { file, text: textOf(await blobs.read(file.hash)) };
  } finally {
    blobs.close();
  }
}
