// GitHub's ports over a plain world: what the adapters ask GitHub for, answered from what stands
// there, and written there.
import type { ListedFile } from "../../../src/domain/changes.ts";
import { OutOfReach } from "../../../src/domain/errors.ts";
import { SEVERITIES } from "../../../src/domain/finding.ts";
import type { Repo } from "../../../src/domain/job.ts";
import type { Person as Account, PullFeedback, ReadThread } from "../../../src/domain/memory/evidence.ts";
import type { AuthorFacts, OwnComment, PullRequest } from "../../../src/domain/pull-request.ts";
import { parseFindingMarker, SUMMARY_MARKER, withNotice } from "../../../src/domain/review/marker.ts";
import type { Checks } from "../../../src/ports/checks.ts";
import type { AnswerPlace, Permissions, Replies, Threads } from "../../../src/ports/conversation.ts";
import type { Feedback } from "../../../src/ports/feedback.ts";
import {
  CommentRefused,
  type CommentToPost,
  type PullRequests,
  type Reviews,
  SupersededError,
} from "../../../src/ports.ts";
import { lineAt, linesOfPatch } from "./anchors.ts";
import type { ChangedFile } from "./changes.ts";
import { type IssueComment, now, type Person, type Pull, Refusal, type ReviewComment } from "./conversation.ts";
import { threadId } from "./feedback-actions.ts";
import type { PlainWorld } from "./plain-world.ts";
import { keep, readComment, readReply, readReview } from "./review-routes.ts";
import { nodeId, pullPage } from "./shapes.ts";

export interface PlainPorts {
  readonly pulls: PullRequests;
  readonly reviews: Reviews;
  readonly threads: Threads;
  readonly replies: Replies;
  readonly permissions: Permissions;
  readonly checks: Checks;
  readonly feedback: Feedback;
}

/** Whose merged pull requests GitHub need not be asked for. */
const DECIDED = new Set(["OWNER", "MEMBER", "FIRST_TIMER", "FIRST_TIME_CONTRIBUTOR"]);
const THUMBS = new Map([
  ["+1", "up"],
  ["-1", "down"],
] as const);

export function plainPorts(world: PlainWorld): PlainPorts {
  const { hub, git, bot } = world;
  const repositoryOf = (repo: Pick<Repo, "id">) => {
    const found = [...hub.repositories.values()].find(({ id }) => id === repo.id);
    if (found === undefined) throw new OutOfReach("missing", 404, "Not Found");
    return found;
  };
  const pullOf = (repo: Pick<Repo, "id">, number: number): Pull => {
    const found = repositoryOf(repo).pulls.find((one) => one.number === number);
    if (found === undefined) throw new OutOfReach("missing", 404, "Not Found");
    return found;
  };
  const commentOf = (repo: Pick<Repo, "id">, { place, id }: Pick<AnswerPlace, "place" | "id">) => {
    const said = repositoryOf(repo).pulls.flatMap((pull): (IssueComment | ReviewComment)[] =>
      place === "thread" ? pull.comments : place === "conversation" ? pull.issueComments : [],
    );
    return said.find((one) => one.id === id);
  };
  const textAt = (repo: Repo, at: string | null) => (path: string, maxBytes: number) => {
    const text = git.text(`${repo.owner}/${repo.name}`, path, at);
    return text === null || Buffer.byteLength(text) > maxBytes ? null : text;
  };
  const summaryOf = (pull: Pull) =>
    pull.issueComments.find(({ author, body }) => author === bot && body.includes(SUMMARY_MARKER));
  const checkHead = (pull: Pull, headSha: string) => {
    if (pull.state === "closed") throw new SupersededError("the pull request is closed");
    if (pull.locked) throw new SupersededError("the conversation is locked");
    if (pull.headSha !== headSha) throw new SupersededError(`the head moved to ${pull.headSha.slice(0, 7)}`);
  };
  const putSummary = (pull: Pull, bodyOf: (current: string | null) => string) => {
    const there = summaryOf(pull);
    if (there === undefined) return say(pull, bodyOf(null));
    const body = bodyOf(there.body);
    if (body !== there.body) Object.assign(there, { body, editedTimes: there.editedTimes + 1 });
    return { url: `${pullPage(pull)}#issuecomment-${there.id}` };
  };
  const say = (pull: Pull, body: string) => {
    const id = hub.nextId();
    pull.issueComments.push({ id, author: bot, body, editedTimes: 0, createdAt: now(), reactions: [] });
    return { url: `${pullPage(pull)}#issuecomment-${id}` };
  };
  let lastCheck = 0;

  return {
    pulls: {
      async pull(repo, number) {
        const pull = pullOf(repo, number);
        return pullRequestOf(pull, (await hub.changes(pull)).commits as never);
      },
      baseTip: async ({ owner, name }, { base }) => git.tip(`${owner}/${name}`, base.ref) ?? base.sha,
      async changes(repo, { number }) {
        const pull = pullOf(repo, number);
        const { files } = await hub.changes(pull);
        const listed = files.map((file) => listedAs(file, pull, git.mode(file.filename, pull.headSha)));
        return { kind: "listing", files: listed, total: listed.length };
      },
      async changesSince(repo, { number, base, head }, earlier) {
        const unknown = (reason: string) => ({ kind: "unknown", reason }) as const;
        if (!git.has(earlier.headSha)) return unknown("the head of the last review no longer exists");
        if (git.mergeBase(earlier.headSha, head.sha) !== earlier.headSha)
          return unknown("the branch was rewritten since the last review");
        if (git.mergeBase(earlier.baseSha, earlier.headSha) !== git.mergeBase(base.sha, head.sha))
          return unknown("the branch starts from another commit of its base than at the last review");
        const pull = pullOf(repo, number);
        const files = git.compare(earlier.headSha, head.sha).map((file) => listedAs(file, pull, null));
        return { kind: "since", changes: { kind: "listing", files, total: files.length } };
      },
      text: async (repo, path, sha, maxBytes) => textAt(repo, sha)(path, maxBytes),
      foldersAt: async (_repo, sha, paths) => new Set(paths.filter((path) => git.hasFolder(sha, path))),
      rootEntries: async (_repo, sha) => git.rootEntries(sha),
      async ownersText(repo, name, path, maxBytes) {
        const text = textAt({ ...repo, name }, null)(path, maxBytes);
        return text === null ? null : { text, isShown: true };
      },
      async authorFacts(repo, { author }): Promise<AuthorFacts> {
        if (DECIDED.has(author.association)) return { mergedPullRequests: null };
        const merged = repositoryOf(repo).pulls.filter((one) => one.merged && one.author.id === author.id).length;
        const elsewhere = [...hub.people.values()].find(({ id }) => id === author.id)?.mergedPullRequests ?? 0;
        return { mergedPullRequests: elsewhere + merged };
      },
      issue: async (repo, number) => {
        const issue = repositoryOf(repo).issues.get(number);
        return issue === undefined ? null : { title: issue.title, body: issue.body ?? "" };
      },
      ownComments: async (repo, number) => {
        const pull = pullOf(repo, number);
        return pull.comments.filter(({ author }) => author === bot).flatMap((one) => ownComments(pull, one));
      },
    },
    reviews: {
      async head(repo, number) {
        const { headSha, state, locked } = pullOf(repo, number);
        return { sha: headSha, state, locked };
      },
      async postedFindings(repo, number) {
        const own = pullOf(repo, number).comments.filter(({ author }) => author === bot);
        return new Set(own.flatMap(({ body }) => parseFindingMarker(body)));
      },
      async outsideDiff(repo, number, comments) {
        const { files } = await hub.changes(pullOf(repo, number));
        const patches = new Map(files.map(({ filename, patch = null }) => [filename, patch]));
        const isInside = ({ side, line, startLine, path }: CommentToPost) => {
          const lines = linesOfPatch(patches.get(path) ?? "");
          return [startLine, line].every((number) => lineAt(lines, side, number) !== undefined);
        };
        return new Set(comments.filter((one) => !isInside(one)));
      },
      async postReview(repo, number, headSha, body, comments) {
        const pull = pullOf(repo, number);
        checkHead(pull, headSha);
        const placed = comments.map(({ path, side, startLine, line, body: text }) => {
          const start = startLine < line ? { start_line: startLine, start_side: side } : {};
          return { path, side, line, body: text, ...start };
        });
        const sent = { commit_id: headSha, event: "COMMENT", body, comments: placed };
        const made = await unlessRefused(() => readReview(hub, pull, bot, sent));
        pull.reviews.push(made.review);
        pull.comments.push(...made.comments);
        return { url: `${pullPage(pull)}#pullrequestreview-${made.review.id}` };
      },
      async postFileComment(repo, number, headSha, path, body) {
        const pull = pullOf(repo, number);
        checkHead(pull, headSha);
        const sent = { commit_id: headSha, path, body, subject_type: "file" };
        const comment = keep(pull, await unlessRefused(() => readComment(hub, pull, bot, sent)));
        return { url: `${pullPage(pull)}#discussion_r${comment.id}` };
      },
      async putSummary(repo, number, body, headSha) {
        const pull = pullOf(repo, number);
        checkHead(pull, headSha);
        return putSummary(pull, () => body);
      },
      async editSummary(repo, number, body, headSha) {
        const pull = pullOf(repo, number);
        checkHead(pull, headSha);
        return summaryOf(pull) === undefined ? null : putSummary(pull, () => body);
      },
      async showQuiet(repo, number, headSha) {
        const pull = pullOf(repo, number);
        checkHead(pull, headSha);
        if (!pull.reactions.some(({ author }) => author === bot))
          pull.reactions.push({ id: hub.nextId(), author: bot, content: "+1" });
      },
      async endQuiet(repo, number) {
        const { reactions } = pullOf(repo, number);
        reactions.splice(0, reactions.length, ...reactions.filter(({ author }) => author !== bot));
      },
      async showNotice(repo, number, line, headSha) {
        const pull = pullOf(repo, number);
        checkHead(pull, headSha);
        putSummary(pull, (current) => withNotice(current, line));
      },
    },
    threads: {
      async root(repo, rootId) {
        const found = commentOf(repo, { place: "thread", id: rootId });
        return found !== undefined && "path" in found ? threadComment(found, bot) : null;
      },
      async thread(repo, number, rootId) {
        const all = pullOf(repo, number).comments.filter(({ id, inReplyTo }) => id === rootId || inReplyTo === rootId);
        return all.toSorted((a, b) => a.id - b.id).map((one) => threadComment(one, bot));
      },
    },
    replies: {
      async react(repo, to, content) {
        commentOf(repo, to)?.reactions.push({ id: hub.nextId(), author: bot, content });
        return true;
      },
      async answered(repo, number, to, marker) {
        const pull = pullOf(repo, number);
        const said = to.place === "thread" ? pull.comments : pull.issueComments;
        return said.some(({ author, body }) => author === bot && body.includes(marker));
      },
      async reply(repo, number, { place, rootId }, body) {
        const pull = pullOf(repo, number);
        if (place !== "thread" || rootId === null) return say(pull, body);
        const comment = keep(pull, readReply(hub, pull, bot, { body }, rootId));
        return { url: `${pullPage(pull)}#discussion_r${comment.id}` };
      },
      // GitHub lets an App do it only with the right to write code.
      resolve: async () => "refused",
    },
    permissions: {
      async of(repo, user) {
        return accessOf(repositoryOf(repo), [...hub.people.values()], user);
      },
    },
    checks: {
      async begin(repo, number, headSha) {
        lastCheck += 1;
        world.checkRuns.push({ id: lastCheck, repository: repo.id, number, headSha, conclusion: null, summary: "" });
        return lastCheck;
      },
      async end(_repo, id, { conclusion, summary }) {
        const run = world.checkRuns.find((one) => one.id === id);
        Object.assign(run ?? {}, { conclusion, summary });
      },
    },
    feedback: {
      read: async (repo, number) => feedbackOn(pullOf(repo, number), bot),
      access: async (repo, user) => accessOf(repositoryOf(repo), [...hub.people.values()], user),
      async moved(_repo, from, to) {
        if (git.mergeBase(from, to) !== from) return null;
        const files = git.compare(from, to);
        return new Map(
          files.flatMap(({ filename, status, previous_filename: previous }): [string, string | null][] => {
            if (status === "removed") return [[filename, null]];
            return status === "renamed" && previous !== undefined ? [[previous, filename]] : [];
          }),
        );
      },
    },
  };
}

function pullRequestOf(
  pull: Pull,
  commits: readonly { readonly sha: string; readonly commit: { readonly message: string } }[],
): PullRequest {
  const { number, title, body, state, draft, locked, labels, author } = pull;
  const head = pull.fork === "deleted" ? null : `${pull.fork ?? pull.owner}/${pull.repo}`;
  return {
    ...{ number, title, body, state, draft, locked, labels },
    url: pullPage(pull),
    author: { login: author.login, id: author.id, type: author.type, association: author.association },
    base: { ref: pull.baseRef, sha: pull.baseSha },
    head: { ref: pull.headRef, sha: pull.headSha, repo: head },
    commits: commits.map(({ sha, commit }) => ({ sha, message: commit.message })),
  };
}

function listedAs(file: ChangedFile, { withoutPatch }: Pull, newMode: string | null): ListedFile {
  const { filename: path, previous_filename: previousPath = null, additions, deletions } = file;
  const patch = withoutPatch.has(path) ? null : (file.patch ?? null);
  return { path, previousPath, status: file.status as ListedFile["status"], additions, deletions, patch, newMode };
}

function ownComments(pull: Pull, comment: ReviewComment): readonly OwnComment[] {
  return parseFindingMarker(comment.body).map((findingId, at) => {
    const isFile = comment.side === null || at > 0;
    const line = isFile ? null : comment.line;
    return {
      findingId,
      url: `${pullPage(pull)}#discussion_r${comment.id}`,
      path: comment.path,
      side: comment.side ?? "RIGHT",
      startLine: line === null ? null : (comment.startLine ?? line),
      line,
      hunk: isFile ? "" : comment.hunk,
      title: /\*\*([^*\n]{1,400})\*\*/.exec(comment.body)?.[1] ?? "",
      severity: SEVERITIES.find((one) => comment.body.includes(` ${one}: **`)) ?? null,
      rule: /<sub>Rule \[?`([^`]+)`/.exec(comment.body)?.[1] ?? null,
    };
  });
}

function threadComment(comment: ReviewComment, bot: Person) {
  const { id, author, body, createdAt, path, hunk, editedTimes } = comment;
  return {
    ...{ id, body, createdAt, path },
    author: account(author),
    isOurs: author === bot,
    // Later than the moment at which it was written.
    updatedAt: editedTimes > 0 ? "9999-01-01T00:00:00Z" : createdAt,
    hunk: hunk === "" ? null : hunk,
  };
}

function account({ id, login, type }: Person): Account {
  return { id, login, isBot: type !== "User" };
}

/** By numeric id; GitHub shows `maintain` as write, and `triage` beside read. */
function accessOf(
  { owner, name }: { readonly owner: string; readonly name: string },
  people: readonly Person[],
  { id, login }: Pick<Person, "id" | "login">,
) {
  const found = people.find((one) => one.login.toLowerCase() === login.toLowerCase());
  if (found?.id !== id) return "none";
  const permission = found.inRepository?.[`${owner}/${name}`] ?? found.permission;
  return permission === "maintain" ? "write" : permission;
}

function feedbackOn(pull: Pull, bot: Person): PullFeedback {
  const roots = pull.comments.filter(({ inReplyTo, author }) => inReplyTo === null && author === bot);
  return {
    state: pull.merged ? "merged" : pull.state,
    url: pullPage(pull),
    headSha: pull.headSha,
    author: account(pull.author),
    merged:
      pull.mergedAt === null
        ? null
        : {
            by: pull.mergedBy === null ? null : account(pull.mergedBy),
            at: Date.parse(pull.mergedAt),
            sha: pull.headSha,
          },
    dismissals: pull.dismissals
      .filter(({ review }) => review.author === bot)
      .map(({ id, review, by, message, createdAt }) => ({
        id: nodeId("RDE", id),
        reviewId: review.id,
        by: account(by),
        at: Date.parse(createdAt),
        message,
        url: `${pullPage(pull)}#event-${id}`,
      })),
    threads: roots.flatMap((root) => threadsOf(pull, root, bot)),
    isComplete: true,
    cut: [],
  };
}

function threadsOf(pull: Pull, root: ReviewComment, bot: Person): readonly ReadThread[] {
  const urlOf = (id: number) => `${pullPage(pull)}#discussion_r${id}`;
  const isResolved = pull.resolved.has(root.id);
  const resolver = pull.resolvedBy.get(root.id);
  const thread = {
    id: threadId(root.id),
    url: urlOf(root.id),
    reviewId: root.reviewId,
    reactions: root.reactions.flatMap(({ id, author, content, createdAt }) => {
      const thumb = THUMBS.get(content as "+1" | "-1");
      // GitHub shows no user for the reaction of an App.
      if (thumb === undefined || author.type !== "User") return [];
      return [{ id: nodeId("REA", id), thumb, by: account(author), at: Date.parse(createdAt ?? now()) }];
    }),
    replies: pull.comments
      .filter(({ inReplyTo, author }) => inReplyTo === root.id && author !== bot)
      .map(({ id, author, createdAt, body }) => ({
        ...{ id, body, by: account(author), url: urlOf(id) },
        at: Date.parse(createdAt),
      })),
    isResolved,
    resolvedBy: isResolved && resolver !== undefined ? account(resolver) : null,
  };
  return parseFindingMarker(root.body).map((findingId) => ({ ...thread, findingId }));
}

/** GitHub's refusal as the adapter translates it. */
async function unlessRefused<T>(make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof Refusal && error.status === 422) throw new CommentRefused(error.message, { cause: error });
    throw error;
  }
}
