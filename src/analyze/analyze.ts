/**
 * The analyze stage: derives the signals from the pull request that gather read. Pure: no port, no clock; the same
 * context gives the same signals.
 */

import type { Author, AuthorFacts, FileDiff, PullRequestContext } from "../domain/pull-request.ts";
import type {
  AuthorAssessment,
  AuthorTier,
  ChangeMetrics,
  FileFacts,
  FileKind,
  ReviewSignals,
} from "../domain/signals.ts";
import { fileKinds } from "./file-kind.ts";
import { parseIntent } from "./intent.ts";
import { classifyLanguage, languageShares } from "./languages.ts";
import { risks } from "./risk.ts";

/** Characters of a file that are read when its name does not determine the language. */
const HEAD_READ = 2000;

/**
 * Intent, languages, risks, author and size of a change. Never throws, for any paths and texts.
 *
 * Files left out of the review count only as neighbours: a header beside C++ is C++ even when the C++ is vendored.
 */
export function analyze(context: PullRequestContext): ReviewSignals {
  const { pull, files, config } = context;
  const siblings = [...files, ...context.leftOut].map((file) => file.path);
  const classified = files.map((file) => ({
    language: classifyLanguage(file.path, { siblings, ...knownText(file, context.headTexts) }),
    changedLines: file.additions + file.deletions,
    path: file.path,
  }));
  const kindOf = fileKinds(config.fileKinds);
  const facts = classified.map(({ path, language: { language } }) => ({ path, language, kind: kindOf(path) }));
  return {
    intent: parseIntent({ ...pull, headRef: pull.head.ref, files }),
    files: facts,
    languages: languageShares(classified),
    risks: risks(files, facts, context.leftOut),
    author: assessAuthor(pull.author, context.authorFacts),
    metrics: changeMetrics(files, facts),
  };
}

/** The beginning of the head file; without it the head side of the hunks, or the removed lines of a removed file. */
function knownText(file: FileDiff, headTexts: ReadonlyMap<string, string>): { content: string; partial: boolean } {
  const head = headTexts.get(file.path);
  if (head !== undefined) return { content: head.slice(0, HEAD_READ), partial: false };
  const removed = file.status === "removed";
  const first = file.hunks[0];
  const partial = (removed ? first?.oldStart : first?.newStart) !== 1;
  let content = "";
  for (const line of file.hunks.flatMap((hunk) => hunk.lines)) {
    if (content.length >= HEAD_READ) break;
    if (line.kind !== (removed ? "added" : "removed")) content += `${line.text.slice(0, HEAD_READ)}\n`;
  }
  return { content, partial };
}

/**
 * The language of a file outside a change.
 *
 * @param siblings other paths of its repository: they decide the language of a header
 * @returns canonical id, or `unknown`
 */
export function languageOf(path: string, siblings: readonly string[] = []): string {
  return classifyLanguage(path, { siblings }).language;
}

// How well the author knows the repository, according to GitHub. A hint for retrieval and tone, never a permission.

const CORE = new Set(["OWNER", "MEMBER"]);
const NEWCOMER = new Set(["FIRST_TIMER", "FIRST_TIME_CONTRIBUTOR"]);
const KNOWN = new Set(["COLLABORATOR", "CONTRIBUTOR"]);

/** An author with this many merged pull requests is regular, or core. */
const REGULAR_FROM = 2;
const CORE_FROM = 10;

/**
 * The author's tier. A decisive association comes first; then merged pull requests, if known, because CONTRIBUTOR
 * covers one merged typo and a hundred features alike; then the rest of the association.
 *
 * @param author `association` in any case; an empty or unknown one counts as none
 * @param facts `mergedPullRequests` null when unknown
 */
export function assessAuthor(author: Pick<Author, "association">, facts: AuthorFacts): AuthorAssessment {
  const association = author.association.toUpperCase();
  const because = `association ${association === "" ? "unknown" : association}`;
  if (CORE.has(association)) return { tier: "core", because };
  if (NEWCOMER.has(association)) return { tier: "first-time", because };
  const merged = facts.mergedPullRequests;
  if (merged !== null)
    return { tier: tierOfCount(merged), because: `${merged} merged pull request${merged === 1 ? "" : "s"}` };
  return { tier: KNOWN.has(association) ? "regular" : "first-time", because };
}

function tierOfCount(merged: number): AuthorTier {
  if (merged >= CORE_FROM) return "core";
  return merged >= REGULAR_FROM ? "regular" : "first-time";
}

// The size of the change.

/**
 * Counts over the reviewed files. Line counts come from the source, so a file without delivered hunks still counts.
 *
 * @param files the reviewed files, with `facts` in the same order
 */
export function changeMetrics(files: readonly FileDiff[], facts: readonly FileFacts[]): ChangeMetrics {
  const filesByKind: Record<FileKind, number> = { source: 0, test: 0, config: 0, docs: 0, infra: 0 };
  for (const { kind } of facts) filesByKind[kind]++;
  return {
    files: files.length,
    added: sum(files, (file) => file.additions),
    removed: sum(files, (file) => file.deletions),
    hunks: sum(files, (file) => file.hunks.length),
    filesByKind,
  };
}

function sum(files: readonly FileDiff[], of: (file: FileDiff) => number): number {
  return files.reduce((total, file) => total + of(file), 0);
}
