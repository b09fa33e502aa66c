// The only place that decides what may be searched: one repository's memory; of others of the same
// owner only patterns, and only if the one shares and the other accepts them; never a private
// repository's memory for a public one, not even as a pattern (stricter than asked, because no rule
// can tell how much of a text its pattern keeps); never what this pull request said about itself.

import { withoutExtension } from "../../domain/code/paths.ts";
import type { Repo } from "../../domain/job.ts";
import { isOfReview, type MemoryRecord, type RepoKey, repoKey } from "../../domain/memory.ts";
import type { Precedents, Scope } from "../../domain/retrieval.ts";
import { cutText, oneLine } from "../../domain/text/cut-text.ts";
import { tokenise } from "../../domain/text/tokenise.ts";
import { BACKGROUND } from "../../domain/text/word-rarity.ts";

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
 * Whether a record may be used in this scope. Adapters apply the scope inside the search; each
 * record is checked again before use, because a mistake there would publish one company's text.
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
    OPENNESS[record.visibility] >= OPENNESS[target]
  );
}

/**
 * What a review in this scope may see of an admitted record: everything of its own repository; of
 * another one its pattern, or nothing without one.
 *
 * @returns null when the scope does not admit the record: nobody may learn that it exists
 */
export function crossing(scope: Scope, target: Repo["visibility"], record: MemoryRecord): Crossing | null {
  if (!admits(scope, target, record)) return null;
  return record.repo === scope.repo ? { kind: "pattern", record } : abstractPattern(record);
}

/** Owner ids count per host: 7 on one server is not 7 on another. */
function hostOf(repo: RepoKey): string {
  return repo.slice(0, repo.lastIndexOf("/"));
}

// Splits found records into what a review may see of each: its own in full, patterns of others, and
// withheld ones with the reason.

export interface VisibleRecords {
  readonly records: ReadonlyMap<string, MemoryRecord>;
  /** Records of other repositories that may not be shown, and rejected comments. */
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
    const rejected = crossed === null ? null : rejectionOf(one);
    if (rejected !== null) withheld.push({ id: one.id, reason: `rejected: ${rejected}` });
    else if (crossed?.kind === "pattern") records.set(one.id, crossed.record);
    else if (crossed?.kind === "withheld") withheld.push({ id: one.id, reason: crossed.reason });
  }
  return { records, withheld };
}

/**
 * Why a comment holds no memory: `question`, `withdrawn`, `says-nothing` …; null when it holds one.
 * Only its description knows, so the row stays, with the reason, and is not asked about again. A
 * declined one keeps what people decided.
 */
function rejectionOf({ corpus, outcome, described }: MemoryRecord): string | null {
  if (corpus !== "review_comment" || outcome === "declined") return null;
  return described?.problems.find((problem) => problem.startsWith(REJECTED))?.slice(REJECTED.length) ?? null;
}

const REJECTED = "rejected/";

// Reduces a memory to the pattern that may be shown in another repository of its owner: in
// generally used words, without a trace of whose code it was. It is an allowlist of known words,
// because no denylist is ever complete.

type Crossing =
  | { readonly kind: "pattern"; readonly record: MemoryRecord }
  | { readonly kind: "withheld"; readonly reason: string };

const ANOTHER_REPOSITORY = "another repository of this owner";

/** Characters that are read: a comment's subject is at its beginning. */
const READ = 1_200;
/** A pattern needs this many significant words, and this share of all words. */
const LEAST_WORDS = 5;
const LEAST_PART = 0.6;

const GAP = "…";

/**
 * The pattern of a memory: its lesson if a model wrote one, else its own words; without code,
 * quotes, addresses, paths, names, numbers and every word that is not used in many public
 * repositories. Outcome, severity, category, language and day stay; people, reasons, replies and
 * places do not. Linear in the text; never throws.
 */
export function abstractPattern(record: MemoryRecord): Crossing {
  if (!isOfReview(record)) return { kind: "withheld", reason: "documents stay in their repository" };
  const names = namesOf(record);
  const text = patternOf(record.lesson ?? record.text, names);
  if (text === null) return { kind: "withheld", reason: "nothing abstract is left without its code, names and quotes" };
  return { kind: "pattern", record: withoutSource(record, text, names) };
}

function withoutSource(record: MemoryRecord, text: string, names: ReadonlySet<string>): MemoryRecord {
  const { id, ownerId, visibility, corpus, severity, category, language, outcome, decided, stale, provenance } = record;
  const kept = { id, ownerId, visibility, corpus, severity, category, language, outcome, stale };
  return {
    ...kept,
    text,
    repo: ANOTHER_REPOSITORY,
    repoName: ANOTHER_REPOSITORY,
    sourceId: "",
    replies: [],
    situation: null,
    lesson: null,
    tags: record.tags.filter((tag) => bareWords(tag).every((word) => isCommon(word, names))),
    path: null,
    symbol: null,
    chunkType: null,
    hunk: null,
    flaggedCode: null,
    fixedCode: null,
    decided: decided && { ...decided, by: null, reason: null, sha: null },
    described: null,
    provenance: { ...provenance, url: null, author: null, sha: null, pull: null },
    sharing: "pattern",
  };
}

/** Null when too little is left. */
function patternOf(source: string, names: ReadonlySet<string>): string | null {
  const words = bareWords(withoutQuotes(cutText(source, READ)));
  const shown = words.map((word) => (isCommon(word, names) ? word : GAP));
  const telling = shown.flatMap((word) => (word === GAP ? [] : tokenise(word)));
  const kept = shown.filter((word) => word !== GAP).length;
  if (new Set(telling).size < LEAST_WORDS || kept < words.length * LEAST_PART) return null;
  return oneLine(shown.filter((word, at) => word !== GAP || shown[at - 1] !== GAP).join(" "));
}

/** Replaces fenced code, quoted lines, code spans, quoted phrases and addresses by gaps. */
function withoutQuotes(text: string): string {
  return text
    .replace(/(?:```|~~~)[\s\S]*?(?:```|~~~|$)/g, " \u0000 ")
    .replace(/^[ \t]{0,3}>[^\n]*$/gm, " \u0000 ")
    .replace(/^(?: {4}|\t)[^\n]*$/gm, " \u0000 ")
    .replace(/`[^`\n]*`?/g, " \u0000 ")
    .replace(/"[^"\n]*"?|“[^”\n]*”?|«[^»\n]*»?|„[^“”\n]*[“”]?|‘[^’\n]*’/g, " \u0000 ")
    .replace(/(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}])/gu, " \u0000 ");
}

/** Parts between white space, without surrounding punctuation. */
function bareWords(text: string): readonly string[] {
  return text.split(/\s+/).flatMap((part) => {
    const word = part.replace(/^[([{*_~,;:!?.–—-]+/, "").replace(/(?<![)\]}*_~,;:!?.–—-])[)\]}*_~,;:!?.–—-]+$/, "");
    return word === "" ? [] : [word];
  });
}

/** Letters only, a capital only at the beginning, all parts known to many public repositories. */
function isCommon(word: string, names: ReadonlySet<string>): boolean {
  if (!/^(?:\p{L}\p{Ll}*|\p{Lu}{2,5})(?:['’-]\p{Ll}+)*$/u.test(word)) return false;
  const isKnown = (part: string) => part.length < 2 || tokenise(part).every((token) => BACKGROUND.counts.has(token));
  const parts = word.toLowerCase().split(/['’-]/);
  return parts.every((part) => !names.has(part) && isKnown(part));
}

/** Lower-case names of the record's source: people, repository, owner, file without extension. */
function namesOf({ repoName, provenance, path, symbol, decided }: MemoryRecord): ReadonlySet<string> {
  const file = withoutExtension(path ?? "");
  const named = [repoName, provenance.author, file, symbol, decided?.by].flatMap((name) => name ?? []);
  const words = named.flatMap((name) => name.toLowerCase().match(/\p{L}{3,}/gu) ?? []);
  const split = named.flatMap((name) => name.match(/\p{Lu}?\p{Ll}{2,}/gu) ?? []);
  return new Set([...words, ...split.map((part) => part.toLowerCase())]);
}
