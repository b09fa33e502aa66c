// Joins ports for `kodiai conventions`, which reads memory and can change nothing.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ConventionsVerbPorts } from "../cli/conventions.ts";
import { isDatabase, shownPlace, storePlace } from "../cli/data-dir.ts";
import { openMemoryFor, repositoryOf } from "./cli.ts";

/** @param word the folder that `--data-dir` names; where nothing is remembered, no file is made */
export async function conventionsVerbPorts(word: string | undefined): Promise<ConventionsVerbPorts> {
  const place = storePlace(word);
  const folder = shownPlace(place);
  if (!isDatabase(place) && !existsSync(join(place, "memory.db"))) {
    const repoOf: ConventionsVerbPorts["repoOf"] = (repo) => repositoryOf(repo, async () => [], folder);
    return { folder, known: [], repoOf, open: null, close: () => {} };
  }
  const { labels, embedder, memory, recall, close } = await openMemoryFor(place);
  return {
    folder,
    known: await labels.all(),
    repoOf: (repo) => repositoryOf(repo, labels.all, folder),
    open: { memory, recall, space: embedder.space },
    close,
  };
}
