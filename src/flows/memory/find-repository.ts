// Finds a repository in memory by its name.

import leven from "leven";
import { UsageError } from "../../config/usage-error.ts";
import type { Repo } from "../../domain/job.ts";
import { repoKey } from "../../domain/memory.ts";

const NEAR = 5;
/** Comparing names costs the product of their lengths. */
const LONGEST = 200;
/** `OWNER/NAME`, `HOST/OWNER/NAME`, or memory's own key `HOST/ID`. */
const NAME = /^(?!\.)[\w.:-]{1,250}(?:\/[\w.-]{1,100}){1,2}$/;

/**
 * @param word `OWNER/NAME`, `HOST/OWNER/NAME` or `HOST/ID`; letters of any case
 * @param known the repositories in `dataDir`
 * @throws UsageError when the word is no name, or of none (naming the nearest) or several of them
 */
export function findRepository(word: string, known: readonly Repo[], dataDir: string): Repo {
  if (!NAME.test(word)) throw new UsageError(`${word} is neither a folder nor OWNER/NAME`);
  const wanted = word.toLowerCase();
  const named = known.filter((repo) => {
    const name = nameOf(repo);
    return [name, `${repo.host}/${name}`, repoKey(repo)].some((one) => one.toLowerCase() === wanted);
  });
  // A clone is named after its origin.
  const hosted = named.filter(({ host }) => host !== "local");
  const found = hosted.length > 0 && !wanted.startsWith("local/") ? hosted : named;
  const [first] = found;
  if (first === undefined) throw new UsageError(nothingRemembered(word, known, dataDir));
  if (found.length === 1) return first;
  const apart = found.map(repoKey).join(", ");
  throw new UsageError(`${found.length} repositories are called ${word}; name one by its key: ${apart}`);
}

/** The message for an unknown repository: what to do, and the nearest names in memory. */
export function nothingRemembered(name: string, known: readonly Repo[], dataDir: string): string {
  return (
    `there are no memories of ${name} in ${dataDir}. Index a clone of it (kodiai index --repo PATH), import its past reviews ` +
    `(kodiai import OWNER/NAME) or its comments (kodiai memory import FILE), or name another with --repo or --data-dir.${nearest(name.toLowerCase(), known)}`
  );
}

/** OWNER/NAME. */
export function nameOf({ owner, name }: Pick<Repo, "owner" | "name">): string {
  return `${owner}/${name}`;
}

function nearest(wanted: string, known: readonly Repo[]): string {
  if (known.length === 0) return "";
  const names = [...new Set(known.map(nameOf))]
    .map((name) => ({ name, distance: leven(wanted.slice(0, LONGEST), name.toLowerCase().slice(0, LONGEST)) }))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
  const more = names.length > NEAR ? ` and ${names.length - NEAR} more` : "";
  return ` In memory, nearest first: ${names.slice(0, NEAR).join(", ")}${more}.`;
}
