// What people do to pull requests, and the webhooks that GitHub sends about it.
import {
  type IssueComment,
  isJson,
  type Json,
  now,
  type Person,
  type Pull,
  type Repository,
  type ReviewComment,
} from "./conversation.ts";
import type { Files, GitHalf } from "./emulator.ts";
import type { Delivery } from "./hooks.ts";
import type { Hub } from "./hub.ts";
import type { Manifest } from "./manifest.ts";
import { issueCommentJson, issueJson, pullJson, reviewCommentJson, reviewJson, userJson } from "./shapes.ts";

export interface PullRequestOptions {
  readonly title: string;
  readonly body?: string | null;
  readonly branch?: string;
  readonly base?: string;
  /** Null deletes a file. */
  readonly files: Files;
  readonly author?: string;
  readonly draft?: boolean;
  readonly labels?: readonly string[];
  /**
   * The fork's owner, "deleted" for a fork that is gone, left out for a branch of the repository.
   */
  readonly fork?: string;
  /** Paths for which GitHub delivers no patch. */
  readonly withoutPatch?: readonly string[];
  /** False: no webhook is sent. */
  readonly announce?: boolean;
  /** Now when left out. */
  readonly createdAt?: string;
}

/** False: GitHub sends no webhook, as when it lost one. */
type Announce = { readonly announce?: boolean };

export interface PullActs {
  pullRequest(repository: Repository, options: PullRequestOptions): Promise<Pull>;
  /** One commit on the head; `synchronize`. */
  push(pull: Pull, files: Files, options?: Announce): Promise<void>;
  /** The branch starts again from the base with these files; `synchronize`. */
  forcePush(pull: Pull, files: Files, options?: Announce): Promise<void>;
  /** Moves a file on the head without changing it; `synchronize`. */
  rename(pull: Pull, from: string, to: string, options?: Announce): Promise<void>;
  closePull(pull: Pull, options?: Announce & { readonly merged?: boolean; readonly by?: string }): Promise<void>;
  reopen(pull: Pull): Promise<void>;
  /** New title, body or base branch; `edited` with what it was before. */
  edit(pull: Pull, change: { readonly title?: string; readonly body?: string; readonly base?: string }): Promise<void>;
  label(pull: Pull, name: string, by?: string): Promise<void>;
  unlabel(pull: Pull, name: string): Promise<void>;
  toDraft(pull: Pull): Promise<void>;
  readyForReview(pull: Pull): Promise<void>;
  requestReview(pull: Pull, login: string): Promise<void>;
  /** Somebody says something in the conversation. */
  say(pull: Pull, login: string, body: string): Promise<void>;
  lock(pull: Pull): void;
  /** Somebody writes in the conversation; `issue_comment`. Returns the comment. */
  comment(pull: Pull, login: string, body: string): Promise<IssueComment>;
  /** Somebody answers in a thread; `pull_request_review_comment`. */
  reply(pull: Pull, login: string, to: number, body: string): Promise<ReviewComment>;
  /** Somebody submits a review with a text; `pull_request_review`. */
  submitReview(pull: Pull, login: string, body: string): Promise<void>;
  /** What an App wrote is told as well. */
  announceComment(pull: Pull, comment: IssueComment | ReviewComment): Promise<void>;
  /** What stands in a comment is changed; `edited`. */
  editComment(pull: Pull, comment: IssueComment | ReviewComment, body: string): Promise<void>;
}

export function pullActs(hub: Hub, git: GitHalf, manifest: Manifest, person: (login: string) => Person) {
  /** Sends a webhook when the App subscribes to the event; the payload is as GitHub composes it. */
  const announce = async (pull: Pull, action: string, sender: Person, more: Json = {}): Promise<Delivery | null> => {
    if (!manifest.events.includes("pull_request")) return null;
    const payload = { action, number: pull.number, pull_request: pullJson(pull, await hub.changes(pull)), ...more };
    return hub.hooks.send("pull_request", { ...payload, ...around(hub, pull, sender) });
  };

  /**
   * Comments reach an App that subscribes to them; those of the conversation only with the right to
   * read issues.
   */
  const tell = async (pull: Pull, event: string, action: string, sender: Person, subject: Json): Promise<void> => {
    if (!manifest.events.includes(event)) return;
    if (event === "issue_comment" && manifest.permissions.issues === undefined) return;
    await hub.hooks.send(event, { action, ...subject, ...around(hub, pull, sender) });
  };
  const sendCommentEvent = async (
    pull: Pull,
    comment: IssueComment | ReviewComment,
    action: string,
    more: Json = {},
  ) => {
    if (!("path" in comment)) {
      const subject = { issue: issueJson(pull), comment: issueCommentJson(pull, comment), ...more };
      return tell(pull, "issue_comment", action, comment.author, subject);
    }
    const shown = reviewCommentJson(pull, comment, await hub.changes(pull));
    const subject = { pull_request: pullJson(pull, null), comment: shown, ...more };
    return tell(pull, "pull_request_review_comment", action, comment.author, subject);
  };

  const move = async (pull: Pull, sha: string, options: Announce = {}): Promise<void> => {
    const before = pull.headSha;
    await git.point(`${pull.owner}/${pull.repo}`, pull.headRef, sha);
    pull.headSha = sha;
    if (options.announce !== false && pull.state === "open") {
      await announce(pull, "synchronize", pull.author, { before, after: sha });
    }
  };

  const acts: Omit<PullActs, "pullRequest"> & Pick<PullActs, "pullRequest"> = {
    async pullRequest(repository, options) {
      const repo = `${repository.owner}/${repository.name}`;
      const baseRef = options.base ?? "main";
      const ref = await git.ask("GET", `/repos/${repo}/git/ref/heads/${baseRef}`);
      const baseSha = isJson(ref.object) ? String(ref.object.sha) : "";
      const number = repository.pulls.length + 1;
      const headRef = options.branch ?? `change-${number}`;
      const headSha = await git.commit(repo, baseSha, options.files, options.title);
      await git.point(repo, headRef, headSha);
      const { title, body = null, draft = false, labels = [], fork = null, withoutPatch = [] } = options;
      const from = { title, body, headRef, headSha, baseRef, baseSha };
      const pull = openedPull(hub, repository, person(options.author ?? "mona"), from);
      const { createdAt = pull.createdAt } = options;
      Object.assign(pull, { draft, labels: [...labels], fork, withoutPatch: new Set(withoutPatch), createdAt });
      if (options.announce !== false) await announce(pull, "opened", pull.author);
      return pull;
    },
    async push(pull, files, options) {
      const message = `Change ${Object.keys(files).join(", ")}`;
      await move(pull, await git.commit(`${pull.owner}/${pull.repo}`, pull.headSha, files, message), options);
    },
    async forcePush(pull, files, options) {
      await move(pull, await git.commit(`${pull.owner}/${pull.repo}`, pull.baseSha, files, pull.title), options);
    },
    async rename(pull, from, to, options) {
      const repo = `${pull.owner}/${pull.repo}`;
      const path = from.split("/").map(encodeURIComponent).join("/");
      const file = await git.ask("GET", `/repos/${repo}/contents/${path}?ref=${pull.headSha}`);
      const content = Buffer.from(String(file.content), "base64");
      const files = { [from]: null, [to]: content };
      await move(pull, await git.commit(repo, pull.headSha, files, `Move ${from} to ${to}`), options);
    },
    async closePull(pull, options = {}) {
      pull.state = "closed";
      pull.merged = options.merged ?? false;
      pull.mergedAt = pull.merged ? now() : null;
      pull.mergedBy = pull.merged ? person(options.by ?? pull.author.login) : null;
      if (options.announce !== false) await announce(pull, "closed", pull.author);
    },
    async reopen(pull) {
      pull.state = "open";
      await announce(pull, "reopened", pull.author);
    },
    async edit(pull, change) {
      const changes: Json = {};
      if (change.title !== undefined) {
        changes.title = { from: pull.title };
        pull.title = change.title;
      }
      if (change.body !== undefined) {
        changes.body = { from: pull.body ?? "" };
        pull.body = change.body;
      }
      if (change.base !== undefined) {
        changes.base = { ref: { from: pull.baseRef }, sha: { from: pull.baseSha } };
        const ref = await git.ask("GET", `/repos/${pull.owner}/${pull.repo}/git/ref/heads/${change.base}`);
        pull.baseRef = change.base;
        pull.baseSha = isJson(ref.object) ? String(ref.object.sha) : pull.baseSha;
      }
      await announce(pull, "edited", pull.author, { changes });
    },
    async label(pull, name, by) {
      if (!pull.labels.includes(name)) pull.labels.push(name);
      await announce(pull, "labeled", by === undefined ? pull.author : person(by), { label: labelOf(pull, name) });
    },
    async unlabel(pull, name) {
      const label = labelOf(pull, name);
      pull.labels = pull.labels.filter((one) => one !== name);
      await announce(pull, "unlabeled", pull.author, { label });
    },
    async toDraft(pull) {
      pull.draft = true;
      await announce(pull, "converted_to_draft", pull.author);
    },
    async readyForReview(pull) {
      pull.draft = false;
      await announce(pull, "ready_for_review", pull.author);
    },
    async requestReview(pull, login) {
      const reviewer = person(login);
      if (!pull.requestedReviewers.includes(reviewer)) pull.requestedReviewers.push(reviewer);
      await announce(pull, "review_requested", pull.author, { requested_reviewer: userJson(reviewer) });
    },
    async say(pull, login, body) {
      const fresh = { editedTimes: 0, createdAt: now(), reactions: [] };
      pull.issueComments.push({ id: hub.nextId(), author: person(login), body, ...fresh });
    },
    lock(pull) {
      pull.locked = true;
    },
    async comment(pull, login, body) {
      const fresh = { editedTimes: 0, createdAt: now(), reactions: [] };
      const comment: IssueComment = { id: hub.nextId(), author: person(login), body, ...fresh };
      pull.issueComments.push(comment);
      await sendCommentEvent(pull, comment, "created");
      return comment;
    },
    async reply(pull, login, to, body) {
      const parent = pull.comments.find(({ id }) => id === to);
      if (parent === undefined) throw new Error(`no comment ${to}`);
      const fresh = { id: hub.nextId(), reviewId: hub.nextId(), createdAt: now(), editedTimes: 0, reactions: [] };
      const inReplyTo = parent.inReplyTo ?? parent.id;
      const comment: ReviewComment = { ...parent, ...fresh, author: person(login), body, inReplyTo };
      pull.comments.push(comment);
      await sendCommentEvent(pull, comment, "created");
      return comment;
    },
    async submitReview(pull, login, body) {
      const review = {
        id: hub.nextId(),
        author: person(login),
        body,
        state: "COMMENTED",
        commitId: pull.headSha,
        submittedAt: now(),
      } as const;
      pull.reviews.push({ ...review });
      const subject = { pull_request: pullJson(pull, null), review: reviewJson(pull, review) };
      await tell(pull, "pull_request_review", "submitted", review.author, subject);
    },
    announceComment: (pull, comment) => sendCommentEvent(pull, comment, "created"),
    async editComment(pull, comment, body) {
      const changes = { body: { from: comment.body } };
      comment.body = body;
      comment.editedTimes++;
      await sendCommentEvent(pull, comment, "edited", { changes });
    },
  };
  return acts;
}

/** Where a pull request comes from and where it goes. */
export type OpenedFrom = Pick<Pull, "title" | "body" | "headRef" | "headSha" | "baseRef" | "baseSha">;

/** A pull request that is open from now on; no webhook is sent. */
export function openedPull(hub: Hub, repository: Repository, author: Person, from: OpenedFrom): Pull {
  const pull: Pull = {
    ...from,
    repository,
    // Both change with the repository's.
    get owner() {
      return repository.owner;
    },
    get repo() {
      return repository.name;
    },
    number: repository.pulls.length + 1,
    id: hub.nextId(),
    author,
    createdAt: now(),
    state: "open",
    merged: false,
    draft: false,
    locked: false,
    labels: [],
    requestedReviewers: [],
    fork: null,
    withoutPatch: new Set(),
    reviews: [],
    comments: [],
    issueComments: [],
    reactions: [],
    resolved: new Set(),
    resolvedBy: new Map(),
    mergedAt: null,
    mergedBy: null,
    dismissals: [],
  };
  repository.pulls.push(pull);
  return pull;
}

function labelOf(pull: Pull, name: string): unknown {
  const { labels } = pullJson(pull, null);
  return Array.isArray(labels) ? labels.find((label) => isJson(label) && label.name === name) : undefined;
}

/** What stands around the subject in every payload to an App. */
export function around(hub: Hub, pull: Pull, sender: Person): Json {
  const id = hub.installations.get(pull.owner) ?? 0;
  const { repository } = pull;
  return {
    repository: repository.json,
    organization: { login: pull.owner, id: isJson(repository.json.owner) ? repository.json.owner.id : 0 },
    sender: userJson(sender),
    installation: { id, node_id: Buffer.from(`Installation:${id}`).toString("base64") },
  };
}
