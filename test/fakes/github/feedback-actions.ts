// What people do about a review: they press thumbs, resolve threads, dismiss. GitHub tells Apps of
// the last two only.
import { type Json, now, type Person, type Pull, type ReviewComment } from "./conversation.ts";
import type { Hub } from "./hub.ts";
import type { Manifest } from "./manifest.ts";
import { around } from "./pull-actions.ts";
import { pullJson, reviewCommentJson, reviewJson } from "./shapes.ts";

export interface FeedbackActs {
  /**
   * Somebody presses a thumb at a comment on the diff; nobody is told. `at` is when, now when left
   * out.
   */
  react(comment: ReviewComment, login: string, content: "+1" | "-1", at?: string): void;
  /** Somebody takes all their reactions to a comment back. */
  unreact(comment: ReviewComment, login: string): void;
  /** `pull_request_review_thread`. */
  resolve(pull: Pull, root: number, login: string): Promise<void>;
  unresolve(pull: Pull, root: number, login: string): Promise<void>;
  /**
   * `pull_request_review`. Real GitHub lets people dismiss approvals and requests for changes only.
   */
  dismiss(pull: Pull, reviewId: number, login: string, message: string): Promise<void>;
  /** The comment goes, as when its author deletes it. */
  removeComment(pull: Pull, comment: ReviewComment): void;
}

export function feedbackActs(hub: Hub, manifest: Manifest, person: (login: string) => Person): FeedbackActs {
  const send = async (pull: Pull, event: string, sender: Person, payload: Json): Promise<void> => {
    if (manifest.events.includes(event)) await hub.hooks.send(event, { ...payload, ...around(hub, pull, sender) });
  };
  const turn = async (pull: Pull, root: number, sender: Person, action: "resolved" | "unresolved") => {
    const comments = pull.comments.filter(({ id, inReplyTo }) => id === root || inReplyTo === root);
    const current = await hub.changes(pull);
    const thread = { node_id: threadId(root), comments: comments.map((one) => reviewCommentJson(pull, one, current)) };
    await send(pull, "pull_request_review_thread", sender, { action, thread, pull_request: pullJson(pull, null) });
  };
  return {
    react(comment, login, content, at = now()) {
      comment.reactions.push({ id: hub.nextId(), author: person(login), content, createdAt: at });
    },
    unreact({ reactions }, login) {
      const kept = reactions.filter(({ author }) => author !== person(login));
      reactions.splice(0, reactions.length, ...kept);
    },
    async resolve(pull, root, login) {
      pull.resolved.add(root);
      pull.resolvedBy.set(root, person(login));
      await turn(pull, root, person(login), "resolved");
    },
    async unresolve(pull, root, login) {
      pull.resolved.delete(root);
      await turn(pull, root, person(login), "unresolved");
    },
    async dismiss(pull, reviewId, login, message) {
      const review = pull.reviews.find(({ id }) => id === reviewId);
      if (review === undefined) throw new Error(`no review ${reviewId}`);
      review.state = "DISMISSED";
      pull.dismissals.push({ id: hub.nextId(), review, by: person(login), message, createdAt: now() });
      const payload = { action: "dismissed", review: reviewJson(pull, review), pull_request: pullJson(pull, null) };
      await send(pull, "pull_request_review", person(login), payload);
    },
    removeComment(pull, comment) {
      pull.comments.splice(pull.comments.indexOf(comment), 1);
    },
  };
}

export function threadId(root: number): string {
  return `PRRT_${root}`;
}
