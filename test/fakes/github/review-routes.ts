// Reviews and their comments, kept as GitHub keeps them: all of a review or nothing, lines checked
// against the real diff, one pending review a person, comments listed back with their lines.
import { Hono } from "hono";
import { type Anchor, hunkAbove, placeAnchor } from "./anchors.ts";
import {
  isJson,
  type Json,
  now,
  type Person,
  type Pull,
  Refusal,
  type Review,
  type ReviewComment,
  type Side,
} from "./conversation.ts";
import {
  authorOf,
  bodyOf,
  checkLength,
  type Hub,
  invalid,
  paged,
  pullOf,
  type RouteContext,
  type RouteEnv,
  repositoryOf,
  textOf,
} from "./hub.ts";
import { inOrder } from "./lists.ts";
import { REFUSALS } from "./refusals.ts";
import { reviewCommentJson, reviewJson } from "./shapes.ts";

const STATES = { COMMENT: "COMMENTED", APPROVE: "APPROVED", REQUEST_CHANGES: "CHANGES_REQUESTED" } as const;
const ONE_PENDING = "User can only have one pending review per pull request";

export function reviewRoutes(hub: Hub): Hono<RouteEnv> {
  const routes = new Hono<RouteEnv>();
  const pulls = "/repos/:owner/:repo/pulls";

  const show = async (pull: Pull, comments: readonly ReviewComment[]): Promise<Json[]> => {
    const current = await hub.changes(pull);
    return comments.map((comment) => reviewCommentJson(pull, comment, current));
  };
  const list = async (c: RouteContext, pull: Pull, comments: readonly ReviewComment[]): Promise<Response> => {
    const shown = await show(pull, comments);
    return paged(hub, c, shown, (page) => page);
  };

  routes.get(`${pulls}/:number{[0-9]+}/reviews`, (c) => {
    const pull = pullOf(hub, c);
    const visible = hub
      .listed(pull.reviews)
      .filter((review) => review.state !== "PENDING" || review.author === authorOf(c));
    return paged(hub, c, visible, (page) => page.map((review) => reviewJson(pull, review)));
  });

  routes.post(`${pulls}/:number{[0-9]+}/reviews`, async (c) => {
    const pull = pullOf(hub, c);
    const { review, comments } = await readReview(hub, pull, authorOf(c), await bodyOf(c));
    pull.reviews.push(review);
    pull.comments.push(...comments);
    return c.json(reviewJson(pull, review));
  });

  routes.get(`${pulls}/:number{[0-9]+}/reviews/:id`, (c) => c.json(reviewJson(pullOf(hub, c), reviewOf(hub, c))));

  routes.delete(`${pulls}/:number{[0-9]+}/reviews/:id`, (c) => {
    const pull = pullOf(hub, c);
    const review = reviewOf(hub, c);
    if (review.state !== "PENDING") throw new Refusal(422, "Can not delete a non-pending pull request review");
    pull.reviews.splice(pull.reviews.indexOf(review), 1);
    for (const comment of pull.comments.filter((one) => one.reviewId === review.id)) {
      pull.comments.splice(pull.comments.indexOf(comment), 1);
    }
    return c.json(reviewJson(pull, review));
  });

  routes.post(`${pulls}/:number{[0-9]+}/reviews/:id/events`, async (c) => {
    const review = reviewOf(hub, c);
    const body = await bodyOf(c);
    if (review.state !== "PENDING") throw new Refusal(422, "Could not submit: the review is not pending");
    review.state = STATES[body.event as keyof typeof STATES] ?? "COMMENTED";
    review.submittedAt = now();
    if (typeof body.body === "string") review.body = checkLength(body.body, "PullRequestReview");
    return c.json(reviewJson(pullOf(hub, c), review));
  });

  routes.get(`${pulls}/:number{[0-9]+}/reviews/:id/comments`, (c) => {
    const pull = pullOf(hub, c);
    const { id } = reviewOf(hub, c);
    return list(
      c,
      pull,
      pull.comments.filter((comment) => comment.reviewId === id),
    );
  });

  routes.get(`${pulls}/:number{[0-9]+}/comments`, (c) => {
    const pull = pullOf(hub, c);
    const pending = new Set(pull.reviews.filter((review) => review.state === "PENDING").map((review) => review.id));
    return list(
      c,
      pull,
      hub.listed(pull.comments).filter((comment) => !pending.has(comment.reviewId)),
    );
  });

  routes.post(`${pulls}/:number{[0-9]+}/comments`, async (c) => {
    const pull = pullOf(hub, c);
    const body = await bodyOf(c);
    const comment = isNumber(body.in_reply_to)
      ? readReply(hub, pull, authorOf(c), body, body.in_reply_to)
      : await readComment(hub, pull, authorOf(c), body);
    return c.json((await show(pull, [keep(pull, comment)]))[0] ?? {}, 201);
  });

  routes.post(`${pulls}/:number{[0-9]+}/comments/:comment/replies`, async (c) => {
    const pull = pullOf(hub, c);
    const reply = readReply(hub, pull, authorOf(c), await bodyOf(c), Number(c.req.param("comment")));
    return c.json((await show(pull, [keep(pull, reply)]))[0] ?? {}, 201);
  });

  routes.get(`${pulls}/comments`, async (c) => {
    const all = repositoryOf(hub, c).pulls.map((pull) => {
      const pending = new Set(pull.reviews.filter((review) => review.state === "PENDING").map((review) => review.id));
      return show(
        pull,
        pull.comments.filter((comment) => !pending.has(comment.reviewId)),
      );
    });
    return paged(hub, c, inOrder(c, (await Promise.all(all)).flat()), (page) => page);
  });

  routes.get(`${pulls}/comments/:comment`, async (c) => {
    const { pull, comment } = commentOf(hub, c);
    return c.json((await show(pull, [comment]))[0] ?? {});
  });

  routes.patch(`${pulls}/comments/:comment`, async (c) => {
    const { pull, comment } = commentOf(hub, c);
    if (comment.author !== authorOf(c)) throw new Refusal(403, "Resource not accessible by integration");
    comment.body = textOf(await bodyOf(c), "PullRequestReviewComment");
    comment.editedTimes++;
    return c.json((await show(pull, [comment]))[0] ?? {});
  });

  routes.delete(`${pulls}/comments/:comment`, (c) => {
    const { pull, comment } = commentOf(hub, c);
    pull.comments.splice(pull.comments.indexOf(comment), 1);
    return c.body(null, 204);
  });

  return routes;
}

/** A review comment of the repository by its id, with its pull request. */
export function commentOf(hub: Hub, c: RouteContext): { pull: Pull; comment: ReviewComment } {
  const id = Number(c.req.param("comment"));
  for (const pull of repositoryOf(hub, c).pulls) {
    const comment = pull.comments.find((one) => one.id === id);
    if (comment) return { pull, comment };
  }
  throw new Refusal(404, "Not Found");
}

function reviewOf(hub: Hub, c: RouteContext): Review {
  const review = pullOf(hub, c).reviews.find((one) => one.id === Number(c.req.param("id")));
  if (!review) throw new Refusal(404, "Not Found");
  return review;
}

/** Checks a whole review before any of it is kept. */
export async function readReview(hub: Hub, pull: Pull, author: Person, body: Json) {
  checkOpenForComments(pull);
  const commitId = await commitOf(hub, pull, body);
  const raw = Array.isArray(body.comments) ? body.comments.filter(isJson) : [];
  const text = checkLength(typeof body.body === "string" ? body.body : "", "PullRequestReview");
  if (pull.reviews.some((review) => review.state === "PENDING" && review.author === author)) {
    throw new Refusal(422, "Unprocessable Entity", [ONE_PENDING]);
  }
  const state = body.event === undefined ? "PENDING" : STATES[body.event as keyof typeof STATES];
  if (state === undefined) throw invalid("PullRequestReview", "event", "invalid", "event is not one of the known ones");
  if (text === "" && raw.length === 0 && (state === "COMMENTED" || state === "CHANGES_REQUESTED")) {
    throw new Refusal(422, "Unprocessable Entity", ["Review body can't be blank"]);
  }
  const submittedAt = state === "PENDING" ? null : now();
  const review: Review = { id: hub.nextId(), author, body: text, state, commitId, submittedAt };
  const comments: ReviewComment[] = [];
  for (const one of raw) comments.push(await lineComment(hub, pull, author, one, commitId, review.id));
  return { review, comments };
}

/** A comment of its own: on a line, or on a file with `subject_type: file`. */
export async function readComment(hub: Hub, pull: Pull, author: Person, body: Json): Promise<ReviewComment> {
  checkOpenForComments(pull);
  if (typeof body.commit_id !== "string") {
    throw invalid("PullRequestReviewComment", "commit_id", "missing_field", "commit_id can't be blank");
  }
  const commitId = await commitOf(hub, pull, body);
  if (body.subject_type !== "file") return lineComment(hub, pull, author, body, commitId, hub.nextId());
  const text = textOf(body, "PullRequestReviewComment");
  const { files } = await hub.changes(pull, commitId);
  const path = String(body.path);
  if (!files.some((file) => file.filename === path)) {
    throw invalid(
      "PullRequestReviewComment",
      "pull_request_review_thread.path",
      "custom",
      "path is not part of the diff",
    );
  }
  return blank(hub, author, text, path, commitId, hub.nextId());
}

async function lineComment(
  hub: Hub,
  pull: Pull,
  author: Person,
  raw: Json,
  commitId: string,
  reviewId: number,
): Promise<ReviewComment> {
  const text = textOf(raw, "PullRequestReviewComment");
  if (!isNumber(raw.line)) throw new Refusal(422, "Unprocessable Entity", ["Line could not be resolved"]);
  const side: Side = raw.side === "LEFT" ? "LEFT" : "RIGHT";
  const startSide = raw.start_side === "LEFT" || raw.start_side === "RIGHT" ? raw.start_side : side;
  const startLine = isNumber(raw.start_line) ? raw.start_line : null;
  const anchor: Anchor = { path: String(raw.path), side, startSide, startLine, line: raw.line };
  if (pull.withoutPatch.has(anchor.path))
    throw new Refusal(422, "Validation Failed", REFUSALS["path diff too large"].answer().body.errors);
  const { files } = await hub.changes(pull, commitId);
  const patches = new Map(files.map((file) => [file.filename, file.patch ?? null]));
  const target = placeAnchor(anchor, patches);
  return {
    ...blank(hub, author, text, anchor.path, commitId, reviewId),
    side,
    startSide: startLine === null ? null : startSide,
    startLine,
    line: raw.line,
    text: target.text,
    hunk: hunkAbove(patches.get(anchor.path) ?? "", target),
  };
}

/** Threads are flat: a reply to a reply belongs to the first comment. */
export function readReply(hub: Hub, pull: Pull, author: Person, body: Json, to: number): ReviewComment {
  checkOpenForComments(pull);
  const parent = pull.comments.find((one) => one.id === to);
  if (!parent) throw new Refusal(404, "Not Found");
  const { id, createdAt, reactions } = blank(hub, author, "", parent.path, parent.commitId, 0);
  const own = { id, createdAt, reactions, author, reviewId: hub.nextId(), editedTimes: 0 };
  return {
    ...parent,
    ...own,
    body: textOf(body, "PullRequestReviewComment"),
    inReplyTo: parent.inReplyTo ?? parent.id,
  };
}

function blank(
  hub: Hub,
  author: Person,
  body: string,
  path: string,
  commitId: string,
  reviewId: number,
): ReviewComment {
  const nowhere = { side: null, startSide: null, startLine: null, line: null, text: "", hunk: "", inReplyTo: null };
  const fresh = { createdAt: now(), editedTimes: 0, reactions: [] };
  return { id: hub.nextId(), reviewId, author, path, body, commitId, ...nowhere, ...fresh };
}

/** A single comment stands in a review of its own, without a body, as on GitHub. */
export function keep(pull: Pull, comment: ReviewComment): ReviewComment {
  const { author, commitId, reviewId } = comment;
  pull.reviews.push({ id: reviewId, author, body: "", state: "COMMENTED", commitId, submittedAt: now() });
  pull.comments.push(comment);
  return comment;
}

async function commitOf(hub: Hub, pull: Pull, body: Json): Promise<string> {
  if (typeof body.commit_id !== "string") return pull.headSha;
  const { commits } = await hub.changes(pull);
  const { commit_id: wanted } = body;
  if (wanted !== pull.headSha && !commits.some((commit) => commit.sha === wanted)) {
    throw new Refusal(422, "Unprocessable Entity", ["commit_id is not part of the pull request"]);
  }
  return wanted;
}

function checkOpenForComments(pull: Pull): void {
  if (pull.locked) throw new Refusal(403, "Unable to create comment because issue is locked.");
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value);
}
