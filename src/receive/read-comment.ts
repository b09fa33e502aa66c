// Turns a delivery about a comment into a command with the text of then, or a reason for none.

import { z } from "zod";
import { type AskingComment, type CommandJob, verbEntry } from "../domain/command.ts";
import { jobKey } from "../domain/job.ts";
import { titleFingerprint } from "../domain/review/review-history.ts";
import { cutText } from "../domain/text/cut-text.ts";
import {
  type Delivery,
  Pull,
  PullWithHead,
  quoted,
  type Reader,
  type ReceiveOptions,
  RepositoryEvent,
  reader,
  repoOf,
  User,
} from "./delivery.ts";
import { readCommand, readReply } from "./read-command.ts";

const Written = z.object({
  id: z.int().positive(),
  body: z.string().nullable(),
  user: User,
  html_url: z.string(),
  author_association: z.string().max(40).optional().catch(undefined),
  /** Set when an App wrote it on behalf of the user. */
  performed_via_github_app: z.unknown().optional(),
});

const ConversationDelivery = RepositoryEvent.extend({
  issue: Pull.extend({ pull_request: z.unknown().optional() }),
  comment: Written.extend({ created_at: z.string() }),
});

const ThreadDelivery = RepositoryEvent.extend({
  pull_request: PullWithHead,
  comment: Written.extend({
    created_at: z.string(),
    in_reply_to_id: z.int().nullish(),
    path: z.string(),
    diff_hunk: z.string().nullish(),
  }),
});

const ReviewDelivery = RepositoryEvent.extend({
  pull_request: PullWithHead,
  review: Written.extend({ submitted_at: z.string().nullish() }),
});

/** Characters of a description that a question is asked with. */
const DESCRIPTION_CHARS = 1_000;

interface CommentEvent {
  readonly around: z.infer<typeof RepositoryEvent>;
  readonly pull: z.infer<typeof Pull>;
  readonly headSha: string | null;
  readonly written: z.infer<typeof Written>;
  readonly comment: Omit<AskingComment, "author">;
}

/** The events in which people write, and the one action of each that counts. */
const COMMENT_EVENTS: ReadonlyMap<string, string> = new Map([
  ["issue_comment", "created"],
  ["pull_request_review_comment", "created"],
  ["pull_request_review", "submitted"],
]);

function commentReader<Payload>(
  form: z.ZodType<Payload>,
  eventOf: (payload: Payload) => CommentEvent | string,
): Reader<CommandJob> {
  return reader(form, (payload, delivery, reception) => {
    const event = eventOf(payload);
    return typeof event === "string" ? event : commandOf(event, delivery, reception);
  });
}

/** By event: the command, or one line on why there is none. */
export const COMMENT_READERS: ReadonlyMap<string, Reader<CommandJob>> = new Map([
  [
    "issue_comment",
    commentReader(ConversationDelivery, (around) => {
      const { issue, comment } = around;
      if (issue.pull_request === undefined || issue.pull_request === null) return "a comment on an issue";
      const { id, html_url: url, created_at: at } = comment;
      const where = { place: "conversation", id, rootId: null, url, at, path: null, hunk: null } as const;
      return { around, pull: issue, headSha: null, written: comment, comment: where };
    }),
  ],
  [
    "pull_request_review_comment",
    commentReader(ThreadDelivery, (around) => {
      const { pull_request: pull, comment } = around;
      const { id, html_url: url, created_at: at, path, diff_hunk: hunk } = comment;
      const rootId = comment.in_reply_to_id ?? id;
      const where = { place: "thread", id, rootId, url, at, path, hunk: hunk ?? null } as const;
      return { around, pull, headSha: pull.head.sha, written: comment, comment: where };
    }),
  ],
  [
    "pull_request_review",
    commentReader(ReviewDelivery, (around) => {
      const { pull_request: pull, review } = around;
      const { id, html_url: url, submitted_at: at } = review;
      const where = { place: "review", id, rootId: null, url, at: at ?? "", path: null, hunk: null } as const;
      return { around, pull, headSha: pull.head.sha, written: review, comment: where };
    }),
  ],
]);

function commandOf(event: CommentEvent, delivery: Delivery, { slug, host }: ReceiveOptions): CommandJob | string {
  const refusal = refusalOf(event, COMMENT_EVENTS.get(delivery.event) ?? "", slug);
  if (refusal !== null) return refusal;
  const { around, pull, comment, written } = event;
  const text = written.body ?? "";
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
    comment: { ...comment, author: authorOf(written) },
    pull: {
      title: pull.title,
      authorId: pull.user.id,
      words: pull.body === undefined ? null : titleFingerprint(pull.title, pull.body),
      description: cutText(pull.body ?? "", DESCRIPTION_CHARS),
    },
  };
}

function authorOf({ user: { id, login }, author_association: association }: z.infer<typeof Written>) {
  return { id, login, ...(association === undefined ? {} : { association }) };
}

function refusalOf({ around, pull, written }: CommentEvent, wanted: string, slug: string): string | null {
  const { user: writer, body, performed_via_github_app: app } = written;
  const isByApp = app !== null && app !== undefined;
  if (around.action !== wanted) return `a comment that was ${quoted(around.action)} is not handled`;
  if (writer.login.toLowerCase() === `${slug.toLowerCase()}[bot]`) return "written by Kodiai itself";
  // Only people are answered: two bots could answer each other forever.
  if ((writer.type ?? "User") !== "User" || writer.login.endsWith("[bot]")) return "not written by a person";
  // A comment or a web page may control such an App: its writer did not necessarily ask.
  if (isByApp) return "written through a GitHub App";
  if ((body ?? "").trim() === "") return "the comment is empty";
  return pull.locked === true ? "the conversation is locked" : null;
}
