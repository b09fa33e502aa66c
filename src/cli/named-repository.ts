// Which repository `--repo` means: a folder, or one that something is remembered of, by its name or key.
import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Repo } from "../domain/job.ts";
import { repoKey } from "../domain/memory.ts";
import { UsageError } from "./usage.ts";

/**
 * @param word a folder, OWNER/NAME or HOST/ID; undefined is the folder here
 * @param known what is remembered in `dataDir`
 * @param local reads the clone in a folder
 * @throws UsageError when the word names no folder, or more than one repository; Error when nothing is remembered of it
 */
export async function namedRepository(
  word: string | undefined,
  known: readonly Repo[],
  local: (path: string) => Promise<Repo>,
  dataDir: string,
): Promise<Repo> {
  if (word === undefined || isFolder(word)) return local(resolve(word ?? "."));
  if (!/^[\w.-]+\/[\w.-]+$/.test(word)) throw new UsageError(`--repo ${word} is neither a folder nor OWNER/NAME`);
  const name = word.toLowerCase();
  const named = known.filter((repo) => repoKey(repo) === word || nameOf(repo).toLowerCase() === name);
  const [only, ...more] = named;
  if (only === undefined) throw new Error(nothingRemembered(word, known, dataDir));
  if (more.length > 0)
    throw new UsageError(`--repo ${word} is remembered more than once; write one of ${named.map(repoKey).join(", ")}`);
  return only;
}

/** Says so, with what to do, and what is remembered instead. */
export function nothingRemembered(name: string, known: readonly Repo[], dataDir: string): string {
  const names = known.slice(0, LISTED).map(nameOf).join(", ");
  const others = known.length > LISTED ? `${names} and ${known.length - LISTED} more` : names;
  const there = known.length === 0 ? "" : ` Remembered there: ${others}.`;
  return (
    `nothing is remembered of ${name} in ${dataDir}. Index a clone of it (kodiai index --repo PATH), import its comments ` +
    `(kodiai memory import FILE), or name another with --repo or --data-dir.${there}`
  );
}

const LISTED = 5;

/** OWNER/NAME. */
export function nameOf({ owner, name }: Pick<Repo, "owner" | "name">): string {
  return `${owner}/${name}`;
}

/** Whether a word names a folder that is there. */
export function isFolder(word: string): boolean {
  return statSync(word, { throwIfNoEntry: false })?.isDirectory() === true;
}
