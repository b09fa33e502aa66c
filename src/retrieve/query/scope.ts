// The only place that decides what may be searched: one repository's memory; of others of the same owner only patterns,
// and only if the one shares and the other accepts them; never a private repository's memory for a public one, not even
// as a pattern (stricter than asked, because no rule can tell how much of a text its pattern keeps); never what this
// pull request said about itself.

import type { Knowledge } from "../../config/knowledge.ts";
import type { Repo } from "../../domain/job.ts";
import { type Corpus, type MemoryRecord, type RepoKey, repoKey } from "../../domain/memory.ts";
import type { Precedents, Scope } from "../../domain/retrieval.ts";
import { abstractPattern, type Crossing } from "./cross-repo-redaction.ts";

/** How many people can read a repository: larger is more. */
const OPENNESS: Readonly<Record<Repo["visibility"], number>> = { private: 0, internal: 1, public: 2 };

/**
 * The scope of a search for one pull request.
 *
 * @param takes whether shared patterns of the owner's other repositories may be searched too
 * @param before only memories from before this epoch millisecond; null for now
 */
export function scopeOf(
  { repo, pull }: { readonly repo: Repo; readonly pull: { readonly number: number } },
  takes: boolean,
  before: number | null = null,
): Scope {
  return {
    repo: repoKey(repo),
    ownerPool: takes ? { ownerId: repo.ownerId, targetIsPublic: repo.visibility === "public" } : null,
    // Numbers begin at 1: a local change or a manual search has no pull request to exclude.
    excludePull: pull.number > 0 ? pull.number : null,
    before,
  };
}

/**
 * Whether a record may be used in this scope. Adapters apply the scope inside the search; each record is checked again
 * before use, because a mistake there would publish one company's text.
 *
 * @param target the visibility of the reviewed repository: less visible memories never reach it
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
 * What a review in this scope may see of an admitted record: everything of its own repository; of another one its
 * pattern, or nothing without one.
 *
 * @returns null when the scope does not admit the record at all: then not even its existence may be mentioned
 */
export function crossing(scope: Scope, target: Repo["visibility"], record: MemoryRecord): Crossing | null {
  if (!admits(scope, target, record)) return null;
  return record.repo === scope.repo ? { kind: "pattern", record } : abstractPattern(record);
}

/** Owner ids count per host: 7 on one server is not 7 on another. */
function hostOf(repo: RepoKey): string {
  return repo.slice(0, repo.lastIndexOf("/"));
}

// Splits found records into what a review may see of each: its own in full, patterns of others, and withheld ones with
// the reason.

export interface VisibleRecords {
  /** By id. */
  readonly records: ReadonlyMap<string, MemoryRecord>;
  /** Records of other repositories that may not be shown. */
  readonly withheld: Precedents["cut"];
}

/** @param found untrusted: records outside the scope are dropped silently */
export function visibleRecords(
  found: readonly MemoryRecord[],
  scope: Scope,
  target: Repo["visibility"],
): VisibleRecords {
  const records = new Map<string, MemoryRecord>();
  const withheld: { id: string; reason: string }[] = [];
  for (const one of found) {
    const crossed = crossing(scope, target, one);
    if (crossed?.kind === "pattern") records.set(one.id, crossed.record);
    if (crossed?.kind === "withheld") withheld.push({ id: one.id, reason: crossed.reason });
  }
  return { records, withheld };
}

/** The corpora to search for a repository: documents and code only when its configuration remembers them. */
export function searchedCorpora(corpora: readonly Corpus[], { docs, code }: Knowledge["corpora"]): readonly Corpus[] {
  const kept = docs ? corpora : corpora.filter((corpus) => corpus !== "doc");
  return code && !kept.includes("code") ? [...kept, "code"] : kept;
}
