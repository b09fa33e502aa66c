// What a person asked us to remember, in their words; and which memories a thread can have left.
import type { AskingComment } from "../domain/command.ts";
import type { Repo } from "../domain/job.ts";
import { findingMemoryId, type MemoryRecord, memoryId, repoKey } from "../domain/memory.ts";
import { fromComment } from "./from-comment.ts";

/** What was told, where and when. */
export interface Told {
  readonly repo: Repo;
  readonly pull: number;
  readonly text: string;
  readonly comment: AskingComment;
  readonly sha: string | null;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The memory of it; null when it says nothing. */
export function fromTold(told: Told, languageOf: (path: string) => string): MemoryRecord | null {
  const { comment, repo, text, pull, sha, at } = told;
  const said = {
    sourceId: toldSource(comment),
    text,
    replies: [],
    path: comment.path,
    language: null,
    hunk: comment.hunk,
    category: null,
    severity: null,
    url: comment.url,
    author: comment.author.login,
    isBot: false,
    sha,
    pull,
    at,
  };
  const record = fromComment(said, repo, { languageOf });
  return "kind" in record ? null : record;
}

/** The ids of all memories that a thread can have left: what it said, what we were told in it, and its finding. */
export function memoriesOfThread(
  repo: Repo,
  pull: number,
  thread: { readonly commentIds: readonly number[]; readonly findingId: string | null },
): readonly string[] {
  const key = repoKey(repo);
  const { commentIds, findingId } = thread;
  const sources = commentIds.flatMap((id) => [String(id), toldSource({ place: "thread", id })]);
  const finding = findingId === null ? [] : [findingMemoryId(key, pull, findingId)];
  return [...sources.map((source) => memoryId(key, "review_comment", source)), ...finding];
}

/** Apart from what the comment itself would be remembered as. */
function toldSource({ place, id }: Pick<AskingComment, "place" | "id">): string {
  return `told:${place}-${id}`;
}
