// Turns a delivery about a comment into a command with the text as it was then, or a reason why there is none.

import { z } from "zod";
import { type AskingComment, type CommandJob, verbEntry } from "../domain/command.ts";
import { jobKey } from "../domain/job.ts";
import { titleFingerprint } from "../domain/review/review-history.ts";
import { Around, Author, type Delivery, malformed, quoted, repoOf, Sha, User } from "./delivery.ts";
import { readCommand, readReply } from "./read-command.ts";

/** The common fields of the three events. */
interface CommentEvent {
  readonly around: z.infer<typeof Around>;
  readonly pull: z.infer<typeof Pull>;
  readonly headSha: string | null;
  readonly writer: User;
  readonly text: string;
  /** An App wrote it on behalf of the writer. */
  readonly isByApp: boolean;
  readonly comment: Omit<AskingComment, "author">;
}

/** The events in which people write, and the one action of each that counts. */
export const COMMENT_EVENTS: ReadonlyMap<string, string> = new Map([
  ["issue_comment", "created"],
  ["pull_request_review_comment", "created"],
  ["pull_request_review", "submitted"],
]);

/**
 * @param slug the app's own name, without `[bot]`
 * @returns the command, or one line on why there is none; never throws
 */
export function readComment(delivery: Delivery, slug: string, host: string): CommandJob | string {
  const event = (READERS.get(delivery.event) ?? thread)(delivery.payload);
  if (typeof event === "string") return event;
  const refusal = refusalOf(event, COMMENT_EVENTS.get(delivery.event) ?? "", slug);
  if (refusal !== null) return refusal;
  const { around, pull, comment, writer, text } = event;
  // A reply is for us if we started the thread; only GitHub knows that.
  const isReply = comment.place === "thread" && comment.rootId !== comment.id;
  const command = readCommand(text, slug) ?? (isReply ? readReply(text) : null);
  if (command === null) return "the comment does not address Kodiai";
  const onClosed = command.kind === "verb" && verbEntry(command.verb).onClosed;
  if (pull.state === "closed" && !onClosed) return "the pull request is closed";
  const repo = repoOf(around.repository, host);
  return {
    kind: "command",
    key: `${jobKey(repo, pull.number)}!${comment.place}-${comment.id}`,
    delivery: delivery.id,
    installationId: around.installation.id,
    repo,
    number: pull.number,
    headSha: event.headSha,
    command,
    comment: { ...comment, author: { id: writer.id, login: writer.login } },
    pull: {
      title: pull.title,
      authorId: pull.user.id,
      ...(pull.body === undefined ? {} : { words: titleFingerprint(pull.title, pull.body) }),
    },
  };
}

function refusalOf({ around, pull, writer, text, isByApp }: CommentEvent, wanted: string, slug: string): string | null {
  if (around.action !== wanted) return `a comment that was ${quoted(around.action)} is not handled`;
  if (writer.login.toLowerCase() === `${slug.toLowerCase()}[bot]`) return "written by Kodiai itself";
  // Only people are answered: two bots could answer each other forever.
  if ((writer.type ?? "User") !== "User" || writer.login.endsWith("[bot]")) return "not written by a person";
  // Untrusted input (a comment, a web page) may control such an App, so its writer did not necessarily ask.
  if (isByApp) return "written through a GitHub App";
  if (text.trim() === "") return "the comment is empty";
  return pull.locked === true ? "the conversation is locked" : null;
}

function wordsOf(written: Written): Pick<CommentEvent, "writer" | "text" | "isByApp"> {
  const { user, body, performed_via_github_app: app } = written;
  return { writer: user, text: body ?? "", isByApp: app !== null && app !== undefined };
}

function conversation(payload: unknown): CommentEvent | string {
  const { data, error } = ConversationDelivery.safeParse(payload);
  if (data === undefined) return malformed(error);
  const { issue, comment } = data;
  if (issue.pull_request === undefined || issue.pull_request === null) return "a comment on an issue";
  const { id, html_url: url, created_at: at } = comment;
  const where = { place: "conversation", id, rootId: null, url, at, path: null, hunk: null } as const;
  return { around: data, pull: issue, headSha: null, ...wordsOf(comment), comment: where };
}

function thread(payload: unknown): CommentEvent | string {
  const { data, error } = ThreadDelivery.safeParse(payload);
  if (data === undefined) return malformed(error);
  const { pull_request: pull, comment } = data;
  const { id, html_url: url, created_at: at, path, diff_hunk: hunk } = comment;
  const rootId = comment.in_reply_to_id ?? id;
  const where = { place: "thread", id, rootId, url, at, path, hunk: hunk ?? null } as const;
  return { around: data, pull, headSha: pull.head.sha, ...wordsOf(comment), comment: where };
}

function review(payload: unknown): CommentEvent | string {
  const { data, error } = ReviewDelivery.safeParse(payload);
  if (data === undefined) return malformed(error);
  const { pull_request: pull, review: written } = data;
  const { id, html_url: url, submitted_at: at } = written;
  const where = { place: "review", id, rootId: null, url, at: at ?? "", path: null, hunk: null } as const;
  return { around: data, pull, headSha: pull.head.sha, ...wordsOf(written), comment: where };
}

/** By event; comments on lines are read by `thread`. */
const READERS: ReadonlyMap<string, (payload: unknown) => CommentEvent | string> = new Map([
  ["issue_comment", conversation],
  ["pull_request_review", review],
]);

// The webhook fields that Kodiai reads, for the three comment events.

const Pull = z.object({
  number: z.int().positive(),
  title: z.string(),
  body: z.string().nullish().catch(undefined),
  state: z.enum(["open", "closed"]),
  locked: z.boolean().optional(),
  user: Author,
});
const PullWithHead = Pull.extend({ head: z.object({ sha: Sha }) });
const Written = z.object({
  id: z.int().positive(),
  body: z.string().nullable(),
  user: User,
  html_url: z.string(),
  /** Set when an App wrote it on behalf of the user. */
  performed_via_github_app: z.unknown().optional(),
});

const ConversationDelivery = Around.extend({
  issue: Pull.extend({ pull_request: z.unknown().optional() }),
  comment: Written.extend({ created_at: z.string() }),
});

const ThreadDelivery = Around.extend({
  pull_request: PullWithHead,
  comment: Written.extend({
    created_at: z.string(),
    in_reply_to_id: z.int().nullish(),
    path: z.string(),
    diff_hunk: z.string().nullish(),
  }),
});

const ReviewDelivery = Around.extend({
  pull_request: PullWithHead,
  review: Written.extend({ submitted_at: z.string().nullish() }),
});

type Written = z.infer<typeof Written>;
