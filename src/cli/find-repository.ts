// A repository by the name that a person gives it, among those that memory knows.
import leven from "leven";
import type { Repo } from "../domain/job.ts";
import { repoKey } from "../domain/memory.ts";
import { UsageError } from "./usage.ts";

const NEAR = 5;
/** Comparing names takes the product of their lengths. */
const LONGEST = 200;

/** `OWNER/NAME`, `HOST/OWNER/NAME`, or memory's own key `HOST/ID`. */
export function isRepositoryName(word: string): boolean {
  return /^[\w.:-]{1,250}(?:\/[\w.-]{1,100}){1,2}$/.test(word) && !word.startsWith(".");
}

/**
 * @param word see isRepositoryName; letters of any case
 * @throws UsageError when memory knows none of that name (naming the nearest), or more than one (naming each apart)
 */
export function findRepository(word: string, known: readonly Repo[]): Repo {
  const wanted = word.toLowerCase();
  const found = known.filter((repo) => spellings(repo).includes(wanted));
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  if (first !== undefined) {
    const apart = found.map((repo) => repoKey(repo)).join(", ");
    throw new UsageError(`${found.length} repositories are called ${word}; name one by its key: ${apart}`);
  }
  throw new UsageError(`memory knows no repository ${word}; ${nearest(wanted, known)}`);
}

function spellings(repo: Repo): readonly string[] {
  const name = nameOf(repo);
  return [name, `${repo.host}/${name}`, repoKey(repo)].map((one) => one.toLowerCase());
}

function nameOf({ owner, name }: Repo): string {
  return `${owner}/${name}`;
}

function nearest(wanted: string, known: readonly Repo[]): string {
  if (known.length === 0) return "it knows none at all: is this the right --data-dir?";
  const names = [...new Set(known.map(nameOf))]
    .map((name) => ({ name, distance: leven(wanted.slice(0, LONGEST), name.toLowerCase().slice(0, LONGEST)) }))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
  const more = names.length > NEAR ? ` and ${names.length - NEAR} more` : "";
  return `the nearest it knows: ${names.slice(0, NEAR).join(", ")}${more}`;
}
