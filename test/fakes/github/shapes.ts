// How GitHub shows the nouns of conversation.ts as JSON. Its own test checks these shapes against
// GitHub's description.
import { lineAt, linesOfPatch } from "./anchors.ts";
import type { Changes } from "./changes.ts";
import type { Review, ReviewComment } from "./conversation.ts";
import { type IssueComment, isJson, type Json, now, type Person, type Pull, type Reaction } from "./conversation.ts";

/** Pages for people live here, as in GitHub's own answers. */
export const WEB = "https://github.com";
const API = "https://api.github.com";

/** Of something that stands there; null where the account is gone. */
function writerJson(person: Person): Json | null {
  return person.isGone === true ? null : userJson(person);
}

export function userJson(person: Pick<Person, "login" | "id"> & { readonly type: string }): Json {
  const url = `${API}/users/${encodeURIComponent(person.login)}`;
  const links = [
    "followers",
    "following",
    "gists",
    "starred",
    "subscriptions",
    "orgs",
    "repos",
    "events",
    "received_events",
  ];
  const named: Record<string, string> = { orgs: "organizations_url" };
  return {
    login: person.login,
    id: person.id,
    node_id: nodeId("U", person.id),
    avatar_url: `https://avatars.githubusercontent.com/u/${person.id}`,
    gravatar_id: "",
    url,
    html_url: person.type === "Bot" ? `${WEB}/apps/${person.login.replace("[bot]", "")}` : `${WEB}/${person.login}`,
    ...Object.fromEntries(links.map((link) => [named[link] ?? `${link}_url`, `${url}/${link}`])),
    type: person.type,
    site_admin: false,
  };
}

export function pullPage(pull: Pull): string {
  return `${WEB}/${pull.owner}/${pull.repo}/pull/${pull.number}`;
}

/** A pull request; with `changes` in full, without as lists show it. */
export function pullJson(pull: Pull, changes: Changes | null): Json {
  const api = `${API}/repos/${pull.owner}/${pull.repo}`;
  const url = `${api}/pulls/${pull.number}`;
  const links = {
    self: url,
    html: pullPage(pull),
    issue: `${api}/issues/${pull.number}`,
    comments: `${api}/issues/${pull.number}/comments`,
    review_comments: `${url}/comments`,
    review_comment: `${api}/pulls/comments{/number}`,
    commits: `${url}/commits`,
    statuses: `${api}/statuses/${pull.headSha}`,
  };
  const closedAt = pull.state === "closed" ? now() : null;
  const base: Json = {
    url,
    id: pull.id,
    node_id: nodeId("PR", pull.id),
    html_url: pullPage(pull),
    diff_url: `${pullPage(pull)}.diff`,
    patch_url: `${pullPage(pull)}.patch`,
    issue_url: links.issue,
    commits_url: links.commits,
    review_comments_url: links.review_comments,
    review_comment_url: links.review_comment,
    comments_url: links.comments,
    statuses_url: links.statuses,
    number: pull.number,
    state: pull.state,
    locked: pull.locked,
    title: pull.title,
    user: writerJson(pull.author),
    body: pull.body,
    labels: pull.labels.map((name, index) => labelJson(pull, name, index)),
    milestone: null,
    active_lock_reason: null,
    created_at: pull.createdAt,
    updated_at: now(),
    closed_at: closedAt,
    merged_at: pull.merged ? closedAt : null,
    merge_commit_sha: null,
    assignee: null,
    assignees: [],
    requested_reviewers: pull.requestedReviewers.map(userJson),
    requested_teams: [],
    head: end(pull, pull.headRef, pull.headSha, headRepository(pull)),
    base: end(pull, pull.baseRef, pull.baseSha, pull.repository.json),
    _links: Object.fromEntries(Object.entries(links).map(([name, href]) => [name, { href }])),
    author_association: pull.author.association,
    auto_merge: null,
    draft: pull.draft,
  };
  if (changes === null) return base;
  const sum = (count: "additions" | "deletions") => changes.files.reduce((total, file) => total + file[count], 0);
  return {
    ...base,
    merged: pull.merged,
    mergeable: true,
    rebaseable: true,
    mergeable_state: "clean",
    merged_by: null,
    comments: pull.issueComments.length,
    review_comments: pull.comments.length,
    maintainer_can_modify: pull.fork !== null,
    commits: changes.commits.length,
    additions: sum("additions"),
    deletions: sum("deletions"),
    changed_files: changes.files.length,
  };
}

/** A pull request as the issue that its conversation belongs to. */
export function issueJson(pull: Pull): Json {
  const {
    number,
    title,
    body,
    state,
    locked,
    draft,
    user,
    author_association: association,
    labels,
  } = pullJson(pull, null);
  const url = `${API}/repos/${pull.owner}/${pull.repo}/issues/${pull.number}`;
  const page = pullPage(pull);
  const links = { url: `${API}/repos/${pull.owner}/${pull.repo}/pulls/${pull.number}`, html_url: page };
  const known = { number, title, body, state, locked, draft, user, author_association: association, labels };
  return { ...known, id: pull.id, url, html_url: page, comments: pull.issueComments.length, pull_request: links };
}

function labelJson(pull: Pull, name: string, index: number): Json {
  const url = `${API}/repos/${pull.owner}/${pull.repo}/labels/${encodeURIComponent(name)}`;
  const id = pull.id * 100 + index;
  return { id, node_id: nodeId("LA", id), url, name, description: null, color: "ededed", default: false };
}

function headRepository(pull: Pull): Json | null {
  if (pull.fork === null) return pull.repository.json;
  if (pull.fork === "deleted") return null;
  const owner = {
    ...(isJson(pull.repository.json.owner) ? pull.repository.json.owner : {}),
    login: pull.fork,
    type: "User",
  };
  return {
    ...pull.repository.json,
    id: pull.repository.id + 500_000,
    full_name: `${pull.fork}/${pull.repo}`,
    owner,
    fork: true,
  };
}

function end(pull: Pull, ref: string, sha: string, repo: Json | null): Json {
  const owner = repo && isJson(repo.owner) ? repo.owner : null;
  const label = `${owner === null ? "unknown repository" : String(owner.login)}:${ref}`;
  return { label, ref, sha, user: owner ?? userJson(pull.author), repo };
}

export function reviewJson(pull: Pull, review: Review): Json {
  const page = `${pullPage(pull)}#pullrequestreview-${review.id}`;
  const url = `${API}/repos/${pull.owner}/${pull.repo}/pulls/${pull.number}`;
  return {
    id: review.id,
    node_id: nodeId("PRR", review.id),
    user: writerJson(review.author),
    body: review.body,
    state: review.state,
    html_url: page,
    pull_request_url: url,
    author_association: review.author.association,
    _links: { html: { href: page }, pull_request: { href: url } },
    ...(review.submittedAt === null ? {} : { submitted_at: review.submittedAt }),
    commit_id: review.commitId,
  };
}

/**
 * A review comment as it looks now: after a push GitHub finds its line again by the text, or calls
 * it outdated (`line` null) and leaves it on its first commit.
 */
export function reviewCommentJson(pull: Pull, comment: ReviewComment, current: Changes): Json {
  const api = `${API}/repos/${pull.owner}/${pull.repo}/pulls`;
  const page = `${pullPage(pull)}#discussion_r${comment.id}`;
  const line = lineNow(pull, comment, current);
  const shift = line === null || comment.line === null ? 0 : line - comment.line;
  const isFile = comment.side === null;
  return {
    url: `${api}/comments/${comment.id}`,
    pull_request_review_id: comment.reviewId,
    id: comment.id,
    node_id: nodeId("PRRC", comment.id),
    diff_hunk: comment.hunk,
    path: comment.path,
    commit_id: line === null && !isFile ? comment.commitId : pull.headSha,
    original_commit_id: comment.commitId,
    ...(comment.inReplyTo === null ? {} : { in_reply_to_id: comment.inReplyTo }),
    user: writerJson(comment.author),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.editedTimes > 0 ? now() : comment.createdAt,
    html_url: page,
    pull_request_url: `${api}/${pull.number}`,
    author_association: comment.author.association,
    _links: {
      self: { href: `${api}/comments/${comment.id}` },
      html: { href: page },
      pull_request: { href: `${api}/${pull.number}` },
    },
    start_line: comment.startLine === null || line === null ? null : comment.startLine + shift,
    original_start_line: comment.startLine,
    start_side: comment.startSide,
    line,
    original_line: comment.line,
    // For a comment on a whole file GitHub says RIGHT and position 1, and no line.
    side: comment.side ?? "RIGHT",
    position: line === null && !isFile ? null : 1,
    original_position: 1,
    subject_type: isFile ? "file" : "line",
    reactions: rollup(`${api}/comments/${comment.id}/reactions`, comment.reactions),
  };
}

function lineNow(pull: Pull, comment: ReviewComment, current: Changes): number | null {
  const { line, side } = comment;
  if (line === null || side === null || comment.commitId === pull.headSha) return line;
  const lines = linesOfPatch(current.files.find((file) => file.filename === comment.path)?.patch ?? "");
  if (lineAt(lines, side, line)?.text === comment.text) return line;
  const same = lines.filter((one) => one.text === comment.text).map((one) => (side === "LEFT" ? one.old : one.new));
  const numbers = same.filter((number) => number !== null).sort((a, b) => Math.abs(a - line) - Math.abs(b - line));
  return numbers[0] ?? null;
}

export function issueCommentJson(pull: Pull, comment: IssueComment): Json {
  const api = `${API}/repos/${pull.owner}/${pull.repo}/issues`;
  return {
    id: comment.id,
    node_id: nodeId("IC", comment.id),
    url: `${api}/comments/${comment.id}`,
    html_url: `${pullPage(pull)}#issuecomment-${comment.id}`,
    issue_url: `${api}/${pull.number}`,
    body: comment.body,
    user: writerJson(comment.author),
    created_at: comment.createdAt,
    updated_at: comment.editedTimes > 0 ? now() : comment.createdAt,
    author_association: comment.author.association,
    reactions: rollup(`${api}/comments/${comment.id}/reactions`, comment.reactions),
  };
}

export const REACTIONS = ["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"];

function rollup(url: string, reactions: readonly Reaction[]): Json {
  const counts = REACTIONS.map((name) => [name, reactions.filter((one) => one.content === name).length]);
  return { url, total_count: reactions.length, ...Object.fromEntries(counts) };
}

export function reactionJson(reaction: Reaction): Json {
  const { id, content } = reaction;
  return { id, node_id: nodeId("REA", id), user: userJson(reaction.author), content, created_at: now() };
}

export function nodeId(kind: string, id: number): string {
  return `${kind}_${Buffer.from(String(id)).toString("base64url")}`;
}

/** As GitHub shows the App beside what it made. */
export function appJson({ id, slug }: { readonly id: number; readonly slug: string }, apiUrl: string): Json {
  return {
    ...{ id, slug, node_id: `A_${id}`, name: slug, description: null },
    owner: userJson({ login: `${slug}-owner`, id: 7, type: "User" }),
    ...{ external_url: apiUrl, html_url: `${WEB}/apps/${slug}` },
    ...{ created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z", permissions: {}, events: [] },
  };
}
