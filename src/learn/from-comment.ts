// What a person (or another bot) wrote in a review becomes a memory, whichever way it came here.
import { cutText } from "../domain/cut-text.ts";
import type { Category, Severity } from "../domain/finding.ts";
import type { Repo } from "../domain/job.ts";
import { canonicalLanguage, UNKNOWN_LANGUAGE } from "../domain/language.ts";
import { type MemoryRecord, memoryId, repoKey } from "../domain/memory.ts";
import { cutHunk } from "./cut-hunk.ts";

/** A review comment with its replies, before it is a memory. */
export interface SaidComment {
  /** The comment's own id: GitHub's number, or an imported row's id. */
  readonly sourceId: string;
  readonly text: string;
  /** Oldest first. */
  readonly replies: readonly string[];
  readonly path: string | null;
  /** As the source names it, in any spelling; null when it does not. */
  readonly language: string | null;
  readonly hunk: string | null;
  readonly category: Category | null;
  readonly severity: Severity | null;
  readonly url: string | null;
  readonly author: string | null;
  readonly isBot: boolean;
  readonly sha: string | null;
  readonly pull: number | null;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Says nothing that could be remembered, and why. */
export interface NotRemembered {
  readonly kind: "not-remembered";
  readonly sourceId: string;
  readonly reason: string;
}

export interface CommentRules {
  /** path → canonical id; asked only where the source names no language. */
  readonly languageOf: (path: string) => string;
  /** Why a text is not worth remembering, or null. Left out: everything that says something is remembered. */
  readonly lowInformation?: (text: string) => string | null;
}

/** GitHub's own limit of a comment; nothing longer was ever posted there. */
const MAX_TEXT = 65_536;

/**
 * The memory of a review comment. Its outcome is null: being written is not being accepted.
 *
 * @returns or why it is not remembered: it is empty, or the rule for low information says so
 */
export function fromComment(comment: SaidComment, repo: Repo, rules: CommentRules): MemoryRecord | NotRemembered {
  const { sourceId, path } = comment;
  const text = cutText(comment.text, MAX_TEXT).toWellFormed();
  const reason = text.trim() === "" ? "it is empty" : (rules.lowInformation?.(text) ?? null);
  if (reason !== null) return { kind: "not-remembered", sourceId, reason };
  const key = repoKey(repo);
  return {
    id: memoryId(key, "review_comment", sourceId),
    repo: key,
    repoName: `${repo.owner}/${repo.name}`,
    ownerId: repo.ownerId,
    visibility: repo.visibility,
    corpus: "review_comment",
    sourceId,
    text,
    replies: comment.replies.map((reply) => cutText(reply, MAX_TEXT).toWellFormed()),
    situation: null,
    lesson: null,
    tags: [],
    severity: comment.severity,
    category: comment.category,
    path,
    language: languageOf(comment.language, path, rules.languageOf),
    symbol: null,
    chunkType: null,
    hunk: comment.hunk === null || comment.hunk === "" ? null : cutHunk(comment.hunk),
    outcome: null,
    provenance: {
      url: comment.url,
      author: comment.author,
      authorIsBot: comment.isBot,
      sha: comment.sha,
      pull: comment.pull,
      at: comment.at,
    },
    stale: false,
  };
}

function languageOf(stored: string | null, path: string | null, byPath: (path: string) => string): string {
  const named = canonicalLanguage(stored ?? "");
  if (named !== UNKNOWN_LANGUAGE) return named;
  return path === null ? UNKNOWN_LANGUAGE : byPath(path);
}
