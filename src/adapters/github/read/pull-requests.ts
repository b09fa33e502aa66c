// Reads a pull request from GitHub's REST API.

import { SEVERITIES } from "../../../domain/finding.ts";
import type { Repo } from "../../../domain/job.ts";
import { GHOST, type OwnComment, type PullRequest, type RootEntry } from "../../../domain/pull-request.ts";
import { parseFindingMarker } from "../../../domain/review/marker.ts";
import type { PullRequests } from "../../../ports.ts";
import type { Clients, GitHub } from "../clients.ts";
import { placeOf, unlessStatus } from "../requests.ts";
import { translatedMethods } from "../translate-error.ts";
import { isOurs, reviewCommentsOf } from "../write/find-post.ts";
import { changesSince, entries, listChanges, readText } from "./list-changes.ts";

interface PullRequestsOptions {
  readonly github: GitHub;
  readonly clients: Pick<Clients, "forOwnersRepository" | "forIssues">;
  readonly installationId: number;
  /** Our own bot account: `kodiai[bot]`. */
  readonly botLogin: string;
  /** A cache of authors' merged pull requests: at most one search an author and repository. */
  readonly authors: { get(key: string): number | undefined; set(key: string, merged: number): unknown };
  /** The attempt of its job, from 1; null without retries. */
  readonly attempt: number | null;
}

/** With these associations the tier is decided without counting. */
const DECIDED = new Set(["OWNER", "MEMBER", "FIRST_TIMER", "FIRST_TIME_CONTRIBUTOR"]);

/** The reading port for one repository's token. */
export function githubPullRequests(options: PullRequestsOptions): PullRequests {
  const { github, authors, botLogin, attempt } = options;
  return translatedMethods<PullRequests>({
    pull: (repo, number) => readPull(github, repo, number),
    async baseTip(repo, { base }) {
      // A branch that was deleted meanwhile.
      const found = await unlessStatus([404], () =>
        github.rest.repos.getBranch({ ...placeOf(repo), branch: base.ref }),
      );
      return found?.data.commit.sha ?? base.sha;
    },
    changes: (repo, pull, isWanted) => listChanges(github, repo, pull, isWanted, attempt),
    changesSince: (repo, pull, earlier) => changesSince(github, repo, pull, earlier),
    text: (repo, path, sha, maxBytes) => readText(github, repo, path, sha, maxBytes),
    async foldersAt(repo, sha, paths) {
      const entryAt = entries(github, repo, sha);
      const found = new Set<string>();
      for (const path of paths) if ((await entryAt(path))?.mode === FOLDER) found.add(path);
      return found;
    },
    rootEntries: (repo, sha) => readRoot(github, repo, sha),
    ownersText: githubFiles(options.clients, options.installationId).ownersText,
    async authorFacts(repo, { author }) {
      if (DECIDED.has(author.association) || author.id === GHOST.id) return { mergedPullRequests: null };
      const key = `${repo.host}/${repo.id}/${author.id}`;
      const known = authors.get(key);
      if (known !== undefined) return { mergedPullRequests: known };
      const q = `repo:${repo.owner}/${repo.name} is:pr is:merged author:${searched(author)}`;
      const { data } = await github.rest.search.issuesAndPullRequests({ q, per_page: 1 });
      authors.set(key, data.total_count);
      return { mergedPullRequests: data.total_count };
    },
    issue: (repo, number) => readIssue(options, repo, number),
    async ownComments(repo, number) {
      const comments = await reviewCommentsOf(github, repo, number);
      return comments.filter((comment) => isOurs(comment, botLogin)).flatMap(ownComments);
    },
  });
}

const FOLDER = "040000";

export type RepositoryFiles = Pick<PullRequests, "text" | "rootEntries" | "ownersText">;

/** Files of a repository without a pull request, each read with a token of their repository. */
export function githubFiles(clients: Pick<Clients, "forOwnersRepository">, installationId: number): RepositoryFiles {
  return translatedMethods<RepositoryFiles>({
    async text(repo, path, sha, maxBytes) {
      const client = await clients.forOwnersRepository(installationId, repo, repo.name);
      return client === null ? null : readText(client, repo, path, sha, maxBytes);
    },
    async rootEntries(repo, sha) {
      const client = await clients.forOwnersRepository(installationId, repo, repo.name);
      return client === null ? [] : readRoot(client, repo, sha);
    },
    async ownersText(repo, name, path, maxBytes) {
      const client = await clients.forOwnersRepository(installationId, repo, name);
      const text = client === null ? null : await readText(client, { ...repo, name }, path, undefined, maxBytes);
      return client === null || text === null ? null : { text, isShown: await isAsOpen(client, repo, name) };
    },
  });
}

async function readRoot(github: GitHub, repo: Repo, sha: string): Promise<readonly RootEntry[]> {
  const list = async (tree: string) => {
    const found = await unlessStatus([404, 409], () => github.rest.git.getTree({ ...placeOf(repo), tree_sha: tree }));
    return found?.data.tree ?? [];
  };
  const root = await list(sha);
  const folder = root.find(({ path, type }) => path === ".github" && type === "tree");
  const inFolder = folder === undefined ? [] : await list(folder.sha);
  return [...root, ...inFolder.map((one) => ({ ...one, path: `.github/${one.path}` }))].map(({ path, type, mode }) => ({
    path,
    kind: mode === "120000" ? "link" : type === "blob" ? "file" : "folder",
  }));
}

async function readPull(github: GitHub, repo: Repo, number: number): Promise<PullRequest> {
  const at = { ...placeOf(repo), pull_number: number };
  const [{ data: pull }, commits] = await Promise.all([
    github.rest.pulls.get(at),
    // GitHub lists at most 250 commits of a pull request.
    github.paginate(github.rest.pulls.listCommits, { ...at, per_page: 100 }),
  ]);
  // Both the author's account and the fork may be deleted; GitHub's schema does not say so.
  const author = (pull.user as typeof pull.user | null) ?? GHOST;
  return {
    number: pull.number,
    url: pull.html_url,
    title: pull.title,
    body: pull.body,
    state: pull.state,
    draft: pull.draft ?? false,
    locked: pull.locked,
    labels: pull.labels.map((label) => label.name),
    author: {
      login: author.login,
      id: author.id,
      type: accountType(author.type),
      association: pull.author_association,
    },
    base: { ref: pull.base.ref, sha: pull.base.sha },
    head: {
      ref: pull.head.ref,
      sha: pull.head.sha,
      repo: (pull.head.repo as { full_name: string } | null)?.full_name ?? null,
    },
    commits: commits.map(({ sha, commit }) => ({ sha, message: commit.message })),
  };
}

/** Null also for a pull request, and for an issue that was moved to another repository. */
async function readIssue({ clients, installationId }: PullRequestsOptions, repo: Repo, number: number) {
  const github = await clients.forIssues(installationId, repo);
  const at = { ...placeOf(repo), issue_number: number };
  const found = github && (await unlessStatus([301, 403, 404, 410], () => github.rest.issues.get(at)));
  if (found === null || found.data.pull_request !== undefined) return null;
  const isHere = found.data.repository_url.toLowerCase().endsWith(`/${repo.owner}/${repo.name}`.toLowerCase());
  return isHere ? { title: found.data.title, body: found.data.body ?? "" } : null;
}

function accountType(type: string): PullRequest["author"]["type"] {
  return type === "Bot" || type === "Organization" || type === "Mannequin" ? type : "User";
}

/** Whether readers of `repo` may read the owner's other one: it is public, or both internal. */
async function isAsOpen(github: GitHub, repo: Repo, name: string): Promise<boolean> {
  if (repo.visibility === "private") return true;
  const { data } = await github.rest.repos.get({ owner: repo.owner, repo: name });
  return !data.private || data.visibility === repo.visibility;
}

/** Searches know an App by its name, and refuse accounts that name none, such as Copilot's. */
function searched({ login }: PullRequest["author"]): string {
  return login.replace(/^(.+)\[bot\]$/, "app/$1");
}

// Our own comment, parsed: its findings, its place, and the code above it.

type ReviewComment = Awaited<ReturnType<GitHub["rest"]["pulls"]["listReviewComments"]>>["data"][number];

/** Code points of a title: as many as publish writes. */
const TITLE = /\*\*([^*\n]{1,400})\*\*/;

/** As publish begins a comment, and as it ends one before the marker. */
const SEVERITY = new RegExp(`^\\S+ (${SEVERITIES.join("|")}): \\*\\*`);
const RULE =
  /<sub>Rule \[?`([^`\n]{1,100})`[^\n]*<\/sub>\s*<!-- kodiai:finding [^\n]*(?:\n<!-- kodiai:proof \w+ -->)?$/;

/** One for each finding of a comment. Only the first of several is on its lines. */
function ownComments(comment: ReviewComment): readonly OwnComment[] {
  return parseFindingMarker(comment.body).map((findingId, at) => {
    const isFile = comment.subject_type === "file" || at > 0;
    const line = isFile ? null : (comment.original_line ?? comment.line ?? null);
    return {
      findingId,
      url: comment.html_url,
      path: comment.path,
      side: comment.side === "LEFT" ? "LEFT" : "RIGHT",
      startLine: line === null ? null : (comment.original_start_line ?? line),
      line,
      hunk: isFile ? "" : comment.diff_hunk,
      title: TITLE.exec(comment.body)?.[1] ?? "",
      severity: SEVERITIES.find((one) => one === SEVERITY.exec(comment.body)?.[1]) ?? null,
      rule: RULE.exec(comment.body.trimEnd())?.[1] ?? null,
    };
  });
}
