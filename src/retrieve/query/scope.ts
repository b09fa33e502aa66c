// What may be searched, decided here and nowhere else: one repository's memory; of others of the same owner only patterns, and
// only where the one gives and the other takes; never what a private repository remembers for a public one, not even a
// pattern of it (stricter than asked, since no rule can tell how much of a text is left in its pattern); never what this
// pull request said about itself.

import type { Knowledge } from "../../config/knowledge.ts";
import type { Repo } from "../../domain/job.ts";
import { type Corpus, type MemoryRecord, type RepoKey, repoKey } from "../../domain/memory.ts";
import type { Precedents, Scope } from "../../domain/retrieval.ts";
import { abstractPattern, type Crossing } from "./cross-repo-redaction.ts";

/** Who can read a repository: a larger number is more people. */
const OPENNESS: Readonly<Record<Repo["visibility"], number>> = { private: 0, internal: 1, public: 2 };

/**
 * The scope of a search for one pull request.
 *
 * @param takes whether patterns that the owner's other repositories give may be searched too
 * @param before only what was said before this epoch millisecond; null for now
 */
export function scopeOf(
  { repo, pull }: { readonly repo: Repo; readonly pull: { readonly number: number } },
  takes: boolean,
  before: number | null = null,
): Scope {
  return {
    repo: repoKey(repo),
    ownerPool: takes ? { ownerId: repo.ownerId, targetIsPublic: repo.visibility === "public" } : null,
    // Numbers begin at 1: a local change, or a search by hand, is none and has said nothing.
    excludePull: pull.number > 0 ? pull.number : null,
    before,
  };
}

/**
 * Whether a record may be used in this scope. Adapters apply the scope inside the search; this is asked once more of each
 * record before it goes on, because a mistake there would show one company's words to the world.
 *
 * @param target the visibility of the repository that is reviewed: what fewer people can read never reaches it
 */
export function admits(
  scope: Scope,
  target: Repo["visibility"],
  record: Pick<MemoryRecord, "repo" | "ownerId" | "visibility" | "stale" | "provenance" | "sharing">,
): boolean {
  if (record.stale) return false;
  if (scope.before !== null && record.provenance.at >= scope.before) return false;
  if (record.repo === scope.repo) return scope.excludePull === null || record.provenance.pull !== scope.excludePull;
  return (
    scope.ownerPool !== null &&
    record.sharing === "given" &&
    record.ownerId === scope.ownerPool.ownerId &&
    hostOf(record.repo) === hostOf(scope.repo) &&
    OPENNESS[record.visibility] >= OPENNESS[target] &&
    (!scope.ownerPool.targetIsPublic || record.visibility === "public")
  );
}

/**
 * What a review in this scope may know of a record that it admits: of its own repository everything, of another one the
 * pattern or, where there is none, nothing.
 *
 * @returns null when the scope does not admit the record at all: then it must not even be said that there is one
 */
export function crossing(scope: Scope, target: Repo["visibility"], record: MemoryRecord): Crossing | null {
  if (!admits(scope, target, record)) return null;
  return record.repo === scope.repo ? { kind: "pattern", record } : abstractPattern(record);
}

/** Owner ids count per host: 7 on one server is not 7 on another. */
function hostOf(repo: RepoKey): string {
  return repo.slice(0, repo.lastIndexOf("/"));
}

// Records that were found -> what a review may know of each: all of its own, patterns of others, and what is withheld, with why.

export interface ToldRecords {
  /** By id. */
  readonly records: ReadonlyMap<string, MemoryRecord>;
  /** Those of other repositories of which nothing may be told. */
  readonly withheld: Precedents["cut"];
}

/** @param found untrusted: what the scope does not admit is dropped without a word */
export function toldRecords(found: readonly MemoryRecord[], scope: Scope, target: Repo["visibility"]): ToldRecords {
  const records = new Map<string, MemoryRecord>();
  const withheld: { id: string; reason: string }[] = [];
  for (const one of found) {
    const told = crossing(scope, target, one);
    if (told?.kind === "pattern") records.set(one.id, told.record);
    if (told?.kind === "withheld") withheld.push({ id: one.id, reason: told.reason });
  }
  return { records, withheld };
}

/** The corpora that are searched for a repository: documents and code only where its configuration has them remembered. */
export function searchedCorpora(corpora: readonly Corpus[], { docs, code }: Knowledge["corpora"]): readonly Corpus[] {
  const kept = docs ? corpora : corpora.filter((corpus) => corpus !== "doc");
  return code && !kept.includes("code") ? [...kept, "code"] : kept;
}
