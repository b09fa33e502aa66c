// Joins ports for `kodiai conventions`, which reads memory and can change nothing.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ConventionsVerbPorts } from "../cli/conventions.ts";
import { dataDir } from "../cli/data-dir.ts";
import { openMemoryFor, repositoryOf } from "./cli.ts";

/** @param word the folder that `--data-dir` names; where nothing is remembered, no file is made */
export async function conventionsVerbPorts(word: string | undefined): Promise<ConventionsVerbPorts> {
  const folder = dataDir(word);
  if (!existsSync(join(folder, "memory.db"))) {
    const repoOf: ConventionsVerbPorts["repoOf"] = (repo) => repositoryOf(repo, async () => [], folder);
    return { folder, known: [], repoOf, open: null, close: () => {} };
  }
  const { labels, embedder, memory, recall, close } = await openMemoryFor(folder);
  return {
    folder,
    known: await labels.all(),
    repoOf: (repo) => repositoryOf(repo, labels.all, folder),
    open: { memory, recall, space: embedder.space },
    close,
  };
}
