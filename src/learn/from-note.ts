// A note that somebody left for later reviews, outside any pull request.
import { createHash } from "node:crypto";
import type { Repo } from "../domain/job.ts";
import type { MemoryRecord } from "../domain/memory.ts";
import { fromComment } from "./from-comment.ts";

/** What was noted, by whom and when. */
export interface Note {
  readonly repo: Repo;
  readonly text: string;
  /** The file that it is about, or null. */
  readonly path: string | null;
  /** A person's name on their machine, or null. */
  readonly author: string | null;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The memory of it; null when it says nothing. The same words about the same file are the same memory. */
export function fromNote(note: Note, languageOf: (path: string) => string): MemoryRecord | null {
  const { repo, text, path, author, at } = note;
  const words = createHash("sha256")
    .update(JSON.stringify([text.trim(), path]))
    .digest("hex");
  const said = {
    sourceId: `note:${words.slice(0, 16)}`,
    text,
    replies: [],
    path,
    language: null,
    hunk: null,
    category: null,
    severity: null,
    url: null,
    author,
    isBot: false,
    sha: null,
    pull: null,
    at,
  };
  const record = fromComment(said, repo, { languageOf });
  return "kind" in record ? null : record;
}
