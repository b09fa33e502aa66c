// Commits, the index, the working tree or a diff file, read as if a pull request.

import { constants } from "node:fs";
import { access, copyFile, lstat, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import pMap from "p-map";
import { CONFIG_FILE, MAX_ASKED_BYTES } from "../../config/read-yaml.ts";
import type { ChangesSince } from "../../domain/changes.ts";
import type { LeftOut } from "../../domain/omissions.ts";
import type { PullRequest, RootEntry } from "../../domain/pull-request.ts";
import type { Snapshots } from "../../ports/snapshot.ts";
import type { PullRequests } from "../../ports.ts";
import { textOf } from "./blob-reader.ts";
import { type CloneIdentities, cloneIdentities } from "./clone-identity.ts";
import { GitFailed, git, gitText, MOST_FILE_BYTES, topOf, withoutFilters } from "./git.ts";
import { type LocalHead, localSnapshots, workingBytes } from "./snapshot.ts";

/** The change: commits since head left base, staged or all uncommitted work, or a diff's text. */
export type LocalRange =
  | { readonly kind: "commits"; readonly base: string; readonly head: string }
  | { readonly kind: "staged" }
  | { readonly kind: "uncommitted" }
  | { readonly kind: "diff"; readonly text: string; readonly title: string };

interface LocalChanges {
  readonly identities: CloneIdentities;
  readonly pull: PullRequest;
  readonly pulls: PullRequests;
  readonly snapshots: Snapshots;
}

/** Each option overrides a git setting that would change the form of the diff. */
const FORM = (
  "--no-color --src-prefix=a/ --dst-prefix=b/ --no-relative --unified=3 --inter-hunk-context=0 " +
  "--diff-algorithm=default -O/dev/null -M --full-index"
).split(" ");
/** A tracked repository inside this one shows its commit in a diff; others show nothing. */
const NESTED = "a repository of its own, which is not entered: review it in its folder";
/** GitHub also lists at most 250 commits of a pull request. */
const MAX_COMMITS = 250;
/** The base of a repository without commits. */
const NO_COMMIT = "0".repeat(40);
/** The head of uncommitted work: neither a commit nor any other name that git gives. */
const NOT_COMMITTED = "f".repeat(40);

/**
 * Resolves a range in the repository at `cwd`. For a diff file the folder need not be a repository.
 *
 * @throws GitFailed when a revision does not exist or the folder is not a repository
 */
export async function localChanges(cwd: string, range: LocalRange): Promise<LocalChanges> {
  if (range.kind !== "diff") await gitText(cwd, ["rev-parse", "--git-dir"]);
  const diff = range.kind === "diff" ? await placeOf(cwd, range.text) : null;
  const { base, head } = await ends(cwd, range, diff);
  const identities = await cloneIdentities(cwd, head);
  const pull = await asPullRequest(cwd, range, base, head);
  const snapshots = localSnapshots(cwd, headOf(range, diff));
  return { identities, pull, pulls: ports(cwd, range, pull, diff), snapshots };
}

function headOf(range: LocalRange, diff: DiffPlace | null): LocalHead {
  const missing = headless(diff);
  if (missing !== undefined) return { missing };
  return range.kind === "commits" ? "commit" : range.kind === "staged" ? "index" : "working tree";
}

/** Uncommitted work: how many paths have staged changes, and others (unstaged, untracked). */
export async function uncommittedWork(cwd: string): Promise<{ readonly staged: number; readonly unstaged: number }> {
  const own = await withoutFilters(cwd);
  const status = await gitText(cwd, ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all"], own);
  const entries = status.split("\0").filter((entry) => entry !== "" && !isNested(entry));
  return {
    staged: entries.filter((entry) => !/^[ ?]/.test(entry)).length,
    unstaged: entries.filter((entry) => !/^. /.test(entry)).length,
  };
}

const USUAL: readonly string[] = ["main", "master", "trunk", "develop"];

/**
 * The branch that changes are merged into: the remote's default branch, else one of a usual name,
 * there or here, else the only branch of the remote; null if there is none. The remote's default is
 * unknown after it was renamed or where it was never fetched.
 */
export async function defaultBranch(cwd: string): Promise<string | null> {
  const remote = await gitText(cwd, ["symbolic-ref", "--short", "refs/remotes/origin/HEAD"]).catch(() => "");
  const format = "--format=%(refname:lstrip=2)";
  const branches = (await gitText(cwd, ["for-each-ref", format, "refs/remotes/origin", "refs/heads"])).split("\n");
  const remotes = branches.filter((name) => name.startsWith("origin/") && name !== "origin/HEAD");
  const usual = USUAL.flatMap((name) => [`origin/${name}`, name]);
  const found = [remote, ...usual].find((name) => name !== "" && branches.includes(name));
  return found ?? (remotes.length === 1 ? (remotes[0] ?? null) : null);
}

interface DiffPlace {
  /** The clone that the diff applies to; null if it applies to none. */
  readonly top: string | null;
  readonly isApplied: boolean;
}

/** A diff names no repository: it belongs to the clone that it can be, or has been, applied to. */
async function placeOf(cwd: string, diff: string): Promise<DiffPlace> {
  const top = await topOf(cwd).catch(() => null);
  if (top === null) return { top, isApplied: false };
  const own = await withoutFilters(top);
  const fits = (...how: readonly string[]) =>
    git(top, ["apply", "--check", "--whitespace=nowarn", ...how], own, diff).then(
      () => true,
      () => false,
    );
  if (await fits("--reverse", "-")) return { top, isApplied: true };
  return { top: (await fits("--cached", "-")) ? top : null, isApplied: false };
}

const NO_HEAD = "the rules that need whole files did not run";

/** Why the files of a diff cannot be read in their new state; undefined if they can. */
function headless(diff: DiffPlace | null): string | undefined {
  if (diff === null || diff.isApplied) return undefined;
  return diff.top === null
    ? `the diff applies to no clone here: files and .kodiai.yml were not read, and ${NO_HEAD}`
    : `the diff is not applied in this clone: ${NO_HEAD}`;
}

function ports(cwd: string, range: LocalRange, pull: PullRequest, diff: DiffPlace | null): PullRequests {
  const noHead = headless(diff);
  return {
    ...(noHead === undefined ? {} : { noHead }),
    pull: () => Promise.resolve(pull),
    issue: () => Promise.resolve(null),
    baseTip: () => Promise.resolve(pull.base.sha),
    changes: async () => ({ kind: "unified", ...(await diffOf(cwd, range, pull)) }),
    changesSince: (_repo, _pull, earlier) => changesSince(cwd, range, pull, earlier.headSha),
    async text(_repo, path, sha, maxBytes) {
      const kind = sha === pull.head.sha ? range.kind : "commits";
      if (kind === "uncommitted") {
        const top = await topOf(cwd);
        return workingText(top, path, maxBytes).catch(() => null);
      }
      if (kind === "diff") return diff?.top && diff.isApplied ? workingText(diff.top, path, maxBytes) : null;
      if (sha === NO_COMMIT) return null;
      return objectText(cwd, kind === "staged" ? `:0:${path}` : `${sha}:${path}`, maxBytes);
    },
    async foldersAt(_repo, sha, paths) {
      const listed = await gitText(cwd, ["ls-tree", "-d", "-z", "--name-only", "--full-tree", "--", sha, ...paths]);
      return new Set(listed.split("\0"));
    },
    async workingConfig() {
      const top = range.kind === "diff" ? diff?.top : await topOf(cwd).catch(() => null);
      if (typeof top !== "string") return null;
      const text = await workingText(top, CONFIG_FILE, MAX_ASKED_BYTES).catch(() => null);
      const path = relative(process.cwd(), join(top, CONFIG_FILE));
      return text === null ? null : { path, text };
    },
    rootEntries: (_repo, sha) => rootEntries(cwd, sha),
    ownersText: () => Promise.resolve(null),
    authorFacts: () => Promise.resolve({ mergedPullRequests: null }),
    ownComments: () => Promise.resolve([]),
  };
}

interface Diff {
  readonly text: string;
  readonly leftOut: readonly LeftOut[];
}

async function diffOf(cwd: string, range: LocalRange, pull: PullRequest): Promise<Diff> {
  if (range.kind === "diff") return { text: range.text, leftOut: [] };
  if (range.kind === "uncommitted") return uncommittedDiff(cwd, pull.base.sha);
  const between = range.kind === "staged" ? ["--cached"] : [pull.base.sha, pull.head.sha];
  return { text: await diffText(cwd, between), leftOut: [] };
}

async function diffText(
  cwd: string,
  between: readonly string[],
  own: Readonly<Record<string, string>> = {},
  paths: readonly string[] = [],
): Promise<string> {
  return (await git(cwd, ["diff", ...FORM, ...between, "--", ...paths], own)).toString("utf8");
}

const AT_ONCE = { concurrency: 16 };

/** Why git does not read a path of the working tree; none if it does, or the path is gone. */
async function unreadable(top: string, path: string): Promise<readonly LeftOut[]> {
  if (isNested(path)) return [{ path, reason: NESTED }];
  const file = join(top, path);
  const facts = await lstat(file).catch(() => null);
  if (facts === null || facts.isSymbolicLink() || facts.isDirectory()) return [];
  if (!facts.isFile()) return [{ path, reason: "a socket, pipe or device, which is not read" }];
  // git would read all of it, for its hash alone.
  if (facts.size > MOST_FILE_BYTES) return [{ path, reason: "larger than 10 MB" }];
  const isAllowed = await access(file, constants.R_OK).then(
    () => true,
    () => false,
  );
  return isAllowed ? [] : [{ path, reason: "cannot be read: you lack the permission" }];
}

/** git lists a folder by name, with a slash, only where it is a repository of its own. */
function isNested(path: string): boolean {
  return path.endsWith("/");
}

/**
 * The working tree with its new files against the base. A temporary index adds the new files, so
 * that the repository's index stays unchanged.
 */
async function uncommittedDiff(cwd: string, base: string): Promise<Diff> {
  const top = await topOf(cwd);
  const index = await gitText(top, ["rev-parse", "--git-path", "index"]);
  const folder = await temporaryFolder();
  try {
    const own = { ...(await withoutFilters(top)), GIT_INDEX_FILE: join(folder, "index") };
    // A repository without a commit may have no index yet.
    await copyFile(resolve(top, index), own.GIT_INDEX_FILE).catch(() => undefined);
    const listed = async (...which: readonly string[]) =>
      (await gitText(top, ["ls-files", "-z", ...which], own)).split("\0").filter((path) => path !== "");
    const untracked = await listed("--others", "--exclude-standard");
    // git gives up at the first file that it cannot read.
    const leftOut = (
      await pMap([...untracked, ...(await listed("--modified"))], (path) => unreadable(top, path), AT_ONCE)
    ).flat();
    const unread = new Set(leftOut.map(({ path }) => path));
    const added = untracked.filter((path) => !unread.has(path));
    // Only these: a look at everything would enter the repositories that are tracked.
    const paths = ["--sparse", "--pathspec-from-file=-", "--pathspec-file-nul"];
    const asIs = { ...own, GIT_LITERAL_PATHSPECS: "1" };
    if (added.length > 0) await git(top, ["add", "--intent-to-add", ...paths], asIs, added.join("\0"));
    // Its hash depends on the repository's format.
    const emptyTree = () => gitText(top, ["hash-object", "-t", "tree", "--stdin"]);
    const excluded = [...unread].map((path) => `:(top,exclude,literal)${path}`);
    const text = await diffText(top, [base === NO_COMMIT ? await emptyTree() : base], own, excluded);
    return { text, leftOut };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @throws Error with the path and the fix */
async function temporaryFolder(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), "kodiai-index-"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = `no temporary file can be written in ${tmpdir()} (${code}); set TMPDIR to a folder that can be written`;
    throw new Error(message, { cause: error });
  }
}

/** A range's base is where it left its branch, so it shows itself whether that moved. */
async function changesSince(cwd: string, range: LocalRange, pull: PullRequest, earlier: string): Promise<ChangesSince> {
  if (range.kind !== "commits") return { kind: "unknown", reason: "uncommitted work has no earlier head" };
  try {
    const before = await commit(cwd, earlier);
    await gitText(cwd, ["merge-base", "--is-ancestor", before, pull.head.sha]);
    const text = await diffText(cwd, [before, pull.head.sha]);
    return { kind: "since", changes: { kind: "unified", text } };
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    return { kind: "unknown", reason: "the earlier head is not an ancestor of this one" };
  }
}

async function rootEntries(cwd: string, sha: string): Promise<readonly RootEntry[]> {
  const list = (...below: readonly string[]) => git(cwd, ["ls-tree", "-z", "--full-tree", sha, ...below]);
  const texts = await Promise.all([list(), list(".github/")]).catch(() => []);
  return texts
    .flatMap((text) => text.toString("utf8").split("\0"))
    .flatMap((line) => {
      const [, mode = "", type = "", path = ""] = /^(\d+) (\w+) \w+\t(.+)$/s.exec(line) ?? [];
      return path === "" ? [] : [{ path, kind: mode === "120000" ? "link" : type === "blob" ? "file" : "folder" }];
    });
}

async function objectText(cwd: string, object: string, maxBytes: number): Promise<string | null> {
  try {
    const size = Number(await gitText(cwd, ["cat-file", "-s", object]));
    if (!(size <= maxBytes)) return null;
    return textOf(await git(cwd, ["cat-file", "blob", object]));
  } catch (error) {
    if (error instanceof GitFailed) return null;
    throw error;
  }
}

async function workingText(top: string, path: string, maxBytes: number): Promise<string | null> {
  return textOf(await workingBytes(await realpath(top), path, maxBytes));
}

async function ends(cwd: string, range: LocalRange, diff: DiffPlace | null): Promise<{ base: string; head: string }> {
  if (range.kind === "commits") {
    const [base, head] = await Promise.all([commit(cwd, range.base), commit(cwd, range.head)]);
    return { base: await mergeBase(cwd, range, base, head), head };
  }
  if (diff?.top === null) return { base: NO_COMMIT, head: NOT_COMMITTED };
  const here = await commit(cwd, "HEAD").catch(() => NO_COMMIT);
  return { base: here, head: NOT_COMMITTED };
}

/**
 * Where the head left its base.
 *
 * @throws GitFailed where the clone does not hold that commit: compared with the base's tip, later
 *   work on the base would look like part of the change
 */
async function mergeBase(
  cwd: string,
  named: { base: string; head: string },
  base: string,
  head: string,
): Promise<string> {
  const found = await gitText(cwd, ["merge-base", base, head]).catch((error: unknown) => {
    if (error instanceof GitFailed) return null;
    throw error;
  });
  const isUncertain = (await isShallow(cwd)) && (found === null || (await isCutBetween(cwd, base, head)));
  if (found !== null && !isUncertain) return found;
  const [from, to] = [JSON.stringify(named.base), JSON.stringify(named.head)];
  throw new GitFailed(
    isUncertain
      ? `this clone is shallow and does not surely hold the commit where ${to} left ${from}; ${DEEPEN}`
      : `${from} and ${to} have no commit in common; name the base that ${to} was made from`,
  );
}

/**
 * Whether the history of one of two commits ends, in a shallow clone, before it meets the other's:
 * a later commit of both may lie behind that end. What both have in common may end anywhere.
 */
async function isCutBetween(cwd: string, base: string, head: string): Promise<boolean> {
  const list = await gitText(cwd, ["rev-parse", "--git-path", "shallow"]);
  const cut = new Set((await readFile(resolve(cwd, list), "utf8")).split("\n"));
  const ends = await gitText(cwd, ["rev-list", "--max-parents=0", `${base}...${head}`]);
  return ends.split("\n").some((sha) => sha !== "" && cut.has(sha));
}

/** Also fetches the branches that `git clone --depth` leaves out. */
const DEEPEN =
  "run `git fetch --unshallow origin '+refs/heads/*:refs/remotes/origin/*'` (in a workflow: actions/checkout with `fetch-depth: 0`)";

async function isShallow(cwd: string): Promise<boolean> {
  return (await gitText(cwd, ["rev-parse", "--is-shallow-repository"]).catch(() => "")) === "true";
}

/** Branches before tags, since changes go into branches; then branches of `origin`. */
async function commit(cwd: string, revision: string): Promise<string> {
  const names = [`refs/heads/${revision}`, revision, `refs/remotes/origin/${revision}`];
  for (const name of revision === "HEAD" ? [revision] : names) {
    const found = gitText(cwd, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
    const sha = await found.catch(() => null);
    if (sha !== null) return sha;
  }
  const usual = USUAL.includes(revision.replace(/^origin\//, "")) ? await defaultBranch(cwd) : null;
  const named = usual === null ? "" : `; its default branch is ${JSON.stringify(usual)}`;
  const hint = (await isShallow(cwd)) ? `, which is a shallow clone; ${DEEPEN}` : named;
  throw new GitFailed(`${JSON.stringify(revision)} is not a commit of this repository${hint}`);
}

async function asPullRequest(cwd: string, range: LocalRange, base: string, head: string): Promise<PullRequest> {
  const commits = range.kind === "commits" ? await commitsBetween(cwd, base, head) : [];
  const [subject = "", ...body] = (commits[0]?.message ?? "").split("\n");
  const titles = { commits: subject, staged: "staged changes", uncommitted: "uncommitted changes" };
  const title = range.kind === "diff" ? range.title : titles[range.kind];
  return {
    number: 0,
    url: "",
    title: title === "" ? "local changes" : title,
    body: body.join("\n").trim() || null,
    state: "open",
    draft: false,
    locked: false,
    labels: [],
    // Anyone who can run this on a clone counts as its owner.
    author: { login: "you", id: 0, type: "User", association: "OWNER" },
    base: { ref: range.kind === "commits" ? range.base : "HEAD", sha: base },
    head: { ref: range.kind === "commits" ? range.head : range.kind, sha: head, repo: null },
    commits,
  };
}

async function commitsBetween(cwd: string, base: string, head: string): Promise<{ sha: string; message: string }[]> {
  const format = "--format=%H%x00%B%x01";
  const log = await gitText(cwd, ["log", `--max-count=${MAX_COMMITS}`, format, `${base}..${head}`, "--"]);
  return log.split("\u0001").flatMap((entry) => {
    const [sha = "", message] = entry.trim().split("\0");
    return message === undefined ? [] : [{ sha, message: message.trim() }];
  });
}
