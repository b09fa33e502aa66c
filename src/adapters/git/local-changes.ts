// A range of commits, the index, or a diff file, read as if it were a pull request.
import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { Repo } from "../../domain/job.ts";
import type { PullRequest } from "../../domain/pull-request.ts";
import type { ChangesSince, PullRequests } from "../../ports.ts";
import { GitFailed, git, gitText } from "./git.ts";

/** What to review: commits from where head left base; what is staged; or the text of a diff. */
export type LocalRange =
  | { readonly kind: "commits"; readonly base: string; readonly head: string }
  | { readonly kind: "staged" }
  | { readonly kind: "diff"; readonly text: string; readonly title: string };

export interface LocalChanges {
  readonly repo: Repo;
  readonly pull: PullRequest;
  readonly pulls: PullRequests;
}

/** Each option for a key of git's configuration that would run something or print the diff in another form. */
const DIFF = [
  ...["diff", "--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short", "--ignore-submodules=none"],
  ...["--src-prefix=a/", "--dst-prefix=b/", "--no-relative", "--unified=3", "--inter-hunk-context=0"],
  ...["--diff-algorithm=default", "-O/dev/null", "-M", "--full-index"],
];
/** As GitHub lists at most 250 commits of a pull request. */
const MAX_COMMITS = 250;
/** The base of a repository without commits. */
const NO_COMMIT = "0".repeat(40);
/** The head of what is not committed: no commit, and no other name that git gives. */
const NOT_COMMITTED = "f".repeat(40);

/**
 * Resolves a range in the repository at `cwd`. For a diff file the folder need not be a repository.
 *
 * @throws GitFailed when a revision does not exist or the folder is not a repository
 */
export async function localChanges(cwd: string, range: LocalRange): Promise<LocalChanges> {
  if (range.kind !== "diff") await gitText(cwd, ["rev-parse", "--git-dir"]);
  const repo = await localRepo(cwd, range);
  const { base, head } = await ends(cwd, range);
  const pull = await asPullRequest(cwd, range, base, head);
  return { repo, pull, pulls: ports(cwd, range, pull) };
}

function ports(cwd: string, range: LocalRange, pull: PullRequest): PullRequests {
  return {
    pull: () => Promise.resolve(pull),
    changes: async () => ({ kind: "unified", text: await diffText(cwd, range, pull) }),
    changesSince: (_repo, _pull, earlier) => changesSince(cwd, range, pull, earlier.headSha),
    text: (_repo, path, sha, maxBytes) => fileText(cwd, range, path, sha, pull, maxBytes),
    ownersText: () => Promise.resolve(null),
    authorFacts: () => Promise.resolve({ mergedPullRequests: null }),
    ownComments: () => Promise.resolve([]),
  };
}

async function diffText(cwd: string, range: LocalRange, pull: PullRequest): Promise<string> {
  if (range.kind === "diff") return range.text;
  const args = range.kind === "staged" ? [...DIFF, "--cached"] : [...DIFF, pull.base.sha, pull.head.sha];
  return (await git(cwd, [...args, "--"])).toString("utf8");
}

/** The base of a range is where it left its branch, so it says by itself whether that place moved. */
async function changesSince(cwd: string, range: LocalRange, pull: PullRequest, earlier: string): Promise<ChangesSince> {
  if (range.kind !== "commits") return { kind: "unknown", reason: "what is not committed has no earlier head" };
  try {
    const before = await commit(cwd, earlier);
    await gitText(cwd, ["merge-base", "--is-ancestor", before, pull.head.sha]);
    const text = (await git(cwd, [...DIFF, before, pull.head.sha, "--"])).toString("utf8");
    return { kind: "since", changes: { kind: "unified", text } };
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    return { kind: "unknown", reason: "the earlier head is not an ancestor of this one" };
  }
}

async function fileText(
  cwd: string,
  range: LocalRange,
  path: string,
  sha: string,
  pull: PullRequest,
  maxBytes: number,
): Promise<string | null> {
  if (sha === NO_COMMIT) return null;
  // The head of a diff file exists nowhere; the head of what is staged is the index.
  if (range.kind === "diff" && sha === pull.head.sha) return null;
  const object = range.kind === "staged" && sha === pull.head.sha ? `:0:${path}` : `${sha}:${path}`;
  try {
    const size = Number(await gitText(cwd, ["cat-file", "-s", object]));
    if (!(size <= maxBytes)) return null;
    const bytes = await git(cwd, ["cat-file", "blob", object]);
    return bytes.includes(0) ? null : bytes.toString("utf8");
  } catch (error) {
    if (error instanceof GitFailed) return null;
    throw error;
  }
}

async function ends(cwd: string, range: LocalRange): Promise<{ base: string; head: string }> {
  if (range.kind === "commits") {
    const [base, head] = await Promise.all([commit(cwd, range.base), commit(cwd, range.head)]);
    return { base: await mergeBase(cwd, base, head), head };
  }
  const here = await commit(cwd, "HEAD").catch(() => NO_COMMIT);
  return { base: here, head: NOT_COMMITTED };
}

function commit(cwd: string, revision: string): Promise<string> {
  return gitText(cwd, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`]).catch(() => {
    throw new GitFailed(`${JSON.stringify(revision)} is not a commit of this repository`);
  });
}

async function mergeBase(cwd: string, base: string, head: string): Promise<string> {
  return gitText(cwd, ["merge-base", base, head]).catch(() => base);
}

async function asPullRequest(cwd: string, range: LocalRange, base: string, head: string): Promise<PullRequest> {
  const commits = range.kind === "commits" ? await commitsBetween(cwd, base, head) : [];
  const [subject = "", ...body] = (commits[0]?.message ?? "").split("\n");
  const title = range.kind === "diff" ? range.title : range.kind === "staged" ? "staged changes" : subject;
  return {
    number: 0,
    url: "",
    title: title === "" ? "local changes" : title,
    body: body.join("\n").trim() || null,
    state: "open",
    draft: false,
    locked: false,
    labels: [],
    // Whoever can run this on a clone is at home in it.
    author: { login: "you", id: 0, type: "User", association: "OWNER" },
    base: { ref: range.kind === "commits" ? range.base : "HEAD", sha: base },
    head: { ref: range.kind === "commits" ? range.head : range.kind, sha: head, repo: null },
    commits,
  };
}

async function commitsBetween(cwd: string, base: string, head: string): Promise<{ sha: string; message: string }[]> {
  const log = await gitText(cwd, [
    "log",
    `--max-count=${MAX_COMMITS}`,
    "--format=%H%x00%B%x01",
    `${base}..${head}`,
    "--",
  ]);
  return log
    .split("\u0001")
    .map((entry) => entry.trim().split("\0"))
    .flatMap(([sha, message]) =>
      sha === undefined || message === undefined ? [] : [{ sha, message: message.trim() }],
    );
}

/** A clone is known by its first commit, wherever it lies. */
async function localRepo(cwd: string, range: LocalRange): Promise<Repo> {
  const root = await gitText(cwd, ["rev-list", "--max-parents=0", "HEAD"]).catch((error: unknown) => {
    if (range.kind === "commits") throw error;
    return "";
  });
  const first = root.split("\n").at(-1) ?? "";
  const top = await gitText(cwd, ["rev-parse", "--show-toplevel"]).catch(() => cwd);
  const id = Number.parseInt(
    createHash("sha256")
      .update(first === "" ? top : first)
      .digest("hex")
      .slice(0, 12),
    16,
  );
  return { host: "local", id, ownerId: 0, owner: "local", name: basename(top), visibility: "private" };
}
