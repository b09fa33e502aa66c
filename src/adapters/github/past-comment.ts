// GitHub's three kinds of comment as one noun.
import type { PastAuthor, PastComment } from "../../domain/memory/past-reviews.ts";

/** A deleted account leaves its comments behind, without a user; GitHub's schema does not say so everywhere. */
type RawUser = { readonly id: number; readonly login: string; readonly type: string } | null | undefined;

interface Raw {
  readonly id: number;
  readonly user: RawUser;
  readonly body?: string | null;
  readonly author_association?: string | null;
  readonly html_url: string;
}

interface RawLineComment extends Raw {
  readonly in_reply_to_id?: number;
  readonly pull_request_url: string;
  readonly path: string;
  readonly diff_hunk: string;
  readonly original_commit_id: string;
  readonly created_at: string;
  readonly line?: number | null;
  readonly position?: number | null;
  readonly subject_type?: string;
}

/** A comment on a line or a file. */
export function lineComment(raw: RawLineComment): PastComment | null {
  const pull = numberAtEnd(raw.pull_request_url);
  if (pull === null) return null;
  return {
    ...said(raw),
    place: "line",
    pull,
    replyTo: raw.in_reply_to_id ?? null,
    path: raw.path,
    hunk: raw.diff_hunk === "" ? null : raw.diff_hunk,
    // Where the code moved on GitHub gives neither.
    isOutdated: raw.subject_type === "file" ? null : (raw.line ?? raw.position ?? null) === null,
    sha: raw.original_commit_id,
    at: Date.parse(raw.created_at),
  };
}

/** A comment in the conversation of a pull request; null for one of an issue, which the same list holds. */
export function conversationComment(
  raw: Raw & { readonly issue_url: string; readonly created_at: string },
): PastComment | null {
  const pull = numberAtEnd(raw.issue_url);
  if (pull === null || !raw.html_url.includes(`/pull/${pull}#`)) return null;
  return { ...said(raw), ...NOWHERE, place: "conversation", pull, sha: null, at: Date.parse(raw.created_at) };
}

/** The text of a review; null for one without a text, or that is not submitted. */
export function reviewComment(
  raw: Raw & { readonly submitted_at?: string; readonly commit_id: string | null; readonly state: string },
  pull: number,
): PastComment | null {
  if ((raw.body ?? "").trim() === "" || raw.submitted_at === undefined || raw.state === "PENDING") return null;
  return { ...said(raw), ...NOWHERE, place: "review", pull, sha: raw.commit_id, at: Date.parse(raw.submitted_at) };
}

const NOWHERE = { replyTo: null, path: null, hunk: null, isOutdated: null };

function said(raw: Raw): Pick<PastComment, "id" | "body" | "author" | "url"> {
  return { id: raw.id, body: raw.body ?? "", author: authorOf(raw), url: raw.html_url };
}

function authorOf({ user, author_association: association }: Raw): PastAuthor {
  const login = user?.login ?? "ghost";
  const isBot = user?.type === "Bot" || login.endsWith("[bot]");
  return { id: user?.id ?? 0, login, isBot, association: association ?? "NONE" };
}

function numberAtEnd(url: string): number | null {
  const number = Number(/\/(\d{1,10})$/.exec(url)?.[1]);
  return Number.isSafeInteger(number) ? number : null;
}
