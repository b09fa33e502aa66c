// Files that are tests at the head only: the author names them, and most rules skip tests.

import { fileList } from "../config/patterns.ts";
import type { RepoConfig } from "../config/repo-config.ts";
import { folderOf, isTestPath, nameOf } from "../domain/code/paths.ts";
import type { FileDiff } from "../domain/pull-request.ts";

/** Folders that are looked up at the base; files in others count as new. */
const MOST_FOLDERS = 20;

/**
 * Changed files that are tests by their path and were none at the base: moved, also beside a
 * removed file of that name, or new in no folder of tests of the base. `fileKinds.test` of the base
 * counts.
 *
 * @param foldersAt which of these folders the base has
 */
export async function newTests(
  files: readonly FileDiff[],
  fileKinds: RepoConfig["fileKinds"],
  foldersAt: (paths: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<ReadonlySet<string>> {
  const isNamed = fileList(fileKinds.test);
  const removed = files.flatMap(({ path, previousPath, status }) =>
    status === "removed" ? [path] : (previousPath ?? []),
  );
  const moved = new Set(removed.filter((path) => !isTestPath(path)).map(nameOf));
  const added = files.filter(
    ({ path, previousPath, status }) =>
      isTestPath(path) &&
      !isNamed(path) &&
      (status === "added" || (previousPath !== null && !isTestPath(previousPath))),
  );
  const here = added.filter(({ path, previousPath }) => previousPath === null && !moved.has(nameOf(path)));
  const folders = [...new Set(here.flatMap(({ path }) => testFolderOf(path) ?? []))].slice(0, MOST_FOLDERS);
  const known = folders.length === 0 ? new Set<string>() : await foldersAt(folders);
  const isKnown = (file: FileDiff) => here.includes(file) && known.has(testFolderOf(file.path) ?? "");
  return new Set(added.filter((file) => !isKnown(file)).map(({ path }) => path));
}

/** The outermost folder of tests; null where only the file's name makes it a test. */
function testFolderOf(path: string): string | null {
  const steps = folderOf(path).split("/");
  const folders = steps.map((_, at) => steps.slice(0, at + 1).join("/"));
  return folders.find((folder) => isTestPath(`${folder}/x`)) ?? null;
}
