// Turns what a person (or another bot) wrote in a review into a memory, from any source.

import type { AskingComment } from "../../domain/command.ts";
import type { Category } from "../../domain/finding.ts";
import type { Repo } from "../../domain/job.ts";
import { canonicalLanguage, UNKNOWN_LANGUAGE } from "../../domain/language.ts";
import type { PastComment, PastThread } from "../../domain/memory/past-reviews.ts";
import { findingMemoryId, type MemoryRecord, memoryId, repoKey } from "../../domain/memory.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import { shortHash } from "../../domain/text/hash.ts";
import { inferOutcome } from "../feedback/weigh-evidence.ts";
import { newRecord } from "./new-record.ts";
import { cutHunk } from "./redact-record.ts";

/** A review comment with its replies, before it is a memory. What is null is unknown. */
export interface SaidComment {
  /** The comment's own id: GitHub's number, or an imported row's id. */
  readonly sourceId: string;
  readonly text: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Oldest first. */
  readonly replies: readonly string[];
  readonly path: string | null;
  /** As the source names it, in any spelling. */
  readonly language: string | null;
  readonly hunk: string | null;
  readonly category: Category | null;
  readonly url: string | null;
  readonly author: string | null;
  readonly isBot: boolean;
  readonly sha: string | null;
  readonly pull: number | null;
}

/** A comment by a person of which only the words are known. */
export const BARE_COMMENT: Omit<SaidComment, "sourceId" | "text" | "at"> = {
  ...{ replies: [], path: null, language: null, hunk: null, category: null },
  ...{ url: null, author: null, isBot: false, sha: null, pull: null },
};

/** Why a comment cannot be remembered. */
export interface NotRemembered {
  readonly kind: "not-remembered";
  readonly sourceId: string;
  readonly reason: string;
}

export interface CommentRules {
  /** path → canonical id; used only when the source names no language. */
  readonly languageOf: (path: string) => string;
  /** Why a text is not worth remembering, or null. */
  readonly lowInformation: (text: string) => string | null;
}

/** GitHub's own limit of a comment. */
const MAX_TEXT = 65_536;

/**
 * The memory of a review comment. Its outcome is null: being written is not being accepted.
 *
 * @returns the memory, or why it is not remembered: it is empty, or has low information
 */
export function fromComment(comment: SaidComment, repo: Repo, rules: CommentRules): MemoryRecord | NotRemembered {
  const { sourceId, replies, path, hunk, category, url, author, isBot, sha, pull, at } = comment;
  const fitting = (said: string) => cutText(said, MAX_TEXT).toWellFormed();
  const text = fitting(comment.text);
  const reason = text.trim() === "" ? "it is empty" : rules.lowInformation(text);
  if (reason !== null) return { kind: "not-remembered", sourceId, reason };
  const named = canonicalLanguage(comment.language ?? "");
  return newRecord(repo, "review_comment", sourceId, {
    text,
    replies: replies.map(fitting),
    category,
    path,
    language: named === UNKNOWN_LANGUAGE && path !== null ? rules.languageOf(path) : named,
    hunk: hunk === null || hunk === "" ? null : cutHunk(hunk),
    provenance: { url, author, authorIsBot: isBot, sha, pull, at },
  });
}

interface Note {
  readonly repo: Repo;
  readonly text: string;
  /** The file of the note, or null. */
  readonly path: string | null;
  /** A person's name on their machine, or null. */
  readonly author: string | null;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The memory of a note, null without text. The same text about the same file is one memory. */
export function fromNote({ repo, ...note }: Note, languageOf: (path: string) => string): MemoryRecord | null {
  const sourceId = `note:${shortHash(JSON.stringify([note.text.trim(), note.path]), 16)}`;
  const record = fromComment({ ...BARE_COMMENT, ...note, sourceId }, repo, { languageOf, lowInformation: () => null });
  return "kind" in record ? null : record;
}

interface RememberRequest {
  readonly repo: Repo;
  readonly pull: number;
  readonly text: string;
  readonly comment: AskingComment;
  readonly sha: string | null;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The memory of a text that a person asked us to remember; null when it is empty. */
export function fromRequest(
  { comment, repo, ...asked }: RememberRequest,
  languageOf: (path: string) => string,
): MemoryRecord | null {
  const { path, hunk, url, author } = comment;
  const said = { ...BARE_COMMENT, ...asked, sourceId: requestSource(comment), path, hunk, url, author: author.login };
  const record = fromComment(said, repo, { languageOf, lowInformation: () => null });
  return "kind" in record ? null : record;
}

/** The ids of all memories that a thread can have created: comments, requests, findings. */
export function memoriesOfThread(
  repo: Repo,
  pull: number,
  thread: { readonly commentIds: readonly number[]; readonly findingIds: readonly string[] },
): readonly string[] {
  const key = repoKey(repo);
  const sources = thread.commentIds.flatMap((id) => [String(id), requestSource({ place: "thread", id })]);
  const findings = thread.findingIds.map((id) => findingMemoryId(key, pull, id));
  return [...sources.map((source) => memoryId(key, "review_comment", source)), ...findings];
}

/** Distinct from the memory of the comment itself. */
function requestSource({ place, id }: Pick<AskingComment, "place" | "id">): string {
  return `told:${place}-${id}`;
}

// Turns a past conversation into a memory, or says why not. Only words of people with write access
// are remembered; a bot's comment only when one of them decided about it.

export interface ThreadRules extends CommentRules {
  /** Whether an account has write access, by its id. */
  readonly mayDecide: (accountId: number) => boolean;
  /** Our own account, whose findings are remembered as such; null without one. */
  readonly ownLogin: string | null;
}

/** @returns the memory with its outcome, or the reason why there is none */
export function fromThread(thread: PastThread, repo: Repo, rules: ThreadRules): MemoryRecord | NotRemembered {
  const { root, replies } = thread;
  // GitHub numbers comments on lines, comments of conversations and reviews separately.
  const sourceId = root.place === "line" ? String(root.id) : `${root.place}-${root.id}`;
  const outcome = inferOutcome(thread, rules.mayDecide);
  const reason = notOurs(root, outcome !== null && outcome !== "outdated", rules);
  if (reason !== null) return { kind: "not-remembered", sourceId, reason };
  const heard = replies.filter(({ author }) => !author.isBot && rules.mayDecide(author.id));
  const { path, hunk, url, author, sha, pull, at } = root;
  const said = { sourceId, text: root.body, replies: heard.map(({ body }) => body), path, hunk, url, sha, pull, at };
  const record = fromComment({ ...BARE_COMMENT, ...said, author: author.login, isBot: author.isBot }, repo, rules);
  return "kind" in record ? record : { ...record, outcome };
}

/** A comment to a bot: one line that begins with its name or a slash. */
const TO_A_BOT =
  /^\s{0,20}(?:\/[a-z]|@[\w-]{0,40}(?:bot|kodiai|coderabbitai|copilot|dependabot)\b)[^\n]{0,300}\s{0,20}$/i;

function notOurs(
  { author, body }: PastComment,
  isDecided: boolean,
  { mayDecide, ownLogin }: ThreadRules,
): string | null {
  if (ownLogin !== null && author.login === ownLogin) return "our own finding, remembered as such";
  if (author.isBot) return isDecided ? null : "by a bot, and no one with write access decided about it";
  if (!mayDecide(author.id)) return "by a person without write access";
  return TO_A_BOT.test(body.slice(0, 400)) && body.length <= 400 ? "a command to a bot" : null;
}
