// The changed files of a pull request. Patches that GitHub left out are fetched again; where it has
// no diff at all, the changes come from its comparison of the two commits, or from their trees.

import { setImmediate } from "node:timers/promises";
import { createTwoFilesPatch } from "diff";
import type { Changes, ChangesSince, ListedFile } from "../../../domain/changes.ts";
import { Transient } from "../../../domain/errors.ts";
import type { Repo } from "../../../domain/job.ts";
import { isSource } from "../../../domain/omissions.ts";
import type { FileStatus, PullRequest } from "../../../domain/pull-request.ts";
import { decodeText } from "../../../domain/text/decode-text.ts";
import { blobSha } from "../../blob-cache.ts";
import type { GitHub } from "../clients.ts";
import { placeOf, statusOf, unlessStatus } from "../requests.ts";
import { isNotReady } from "../translate-error.ts";

/** GitHub lists at most 3,000 files of a pull request, at most 100 a page. */
const PER_PAGE = 100;
/** GitHub drops patches after some 20,000 patch lines of a response (2026-11-19). */
const SUSPICIOUS_PATCH_LINES = 15_000;
/** Maximum number of further requests for missing patches. */
const MAX_REFETCHES = 60;
/** GitHub's comparison lists at most 300 files, all on its first page. */
export const COMPARED_FILES = 300;
/** Files whose two texts are compared; each costs two requests. */
const MOST_READ = 60;
const MAX_BLOB_BYTES = 1_000_000;
/** Differing lines of a file. Time grows with their square: 2,000 block for half a second. */
const MOST_DIFFERENT = 2_000;
/** Files that may differ in more: after them no texts of the change are compared. */
const MOST_REWRITTEN = 3;
/** Attempts of a job that wait for GitHub's diff: at least 17 s with the queue's waits. */
const TRIES_FOR_DIFF = 3;

/**
 * Lists the files of a pull request; those without a patch keep `patch: null` and counts.
 *
 * @param isWanted of a path: texts of other files are not compared
 * @param attempt of the job, from 1; null without retries
 * @throws RequestError with 422 while GitHub makes the diff, in the first attempts; Transient when
 *   the head moved meanwhile
 */
export async function listChanges(
  github: GitHub,
  repo: Repo,
  pull: PullRequest,
  isWanted: (path: string) => boolean,
  attempt: number | null,
): Promise<Changes> {
  try {
    return await listed(github, repo, pull, isWanted);
  } catch (error) {
    if (!isNotReady(error) || (attempt !== null && attempt <= TRIES_FOR_DIFF)) throw error;
    return changesWithoutDiff(github, repo, pull, isWanted);
  }
}

async function listed(
  github: GitHub,
  repo: Repo,
  pull: PullRequest,
  isWanted: (path: string) => boolean,
): Promise<Changes> {
  const at = { ...placeOf(repo), pull_number: pull.number };
  const files = [...(await github.paginate(github.rest.pulls.listFiles, { ...at, per_page: PER_PAGE }))];
  const { data } = await github.rest.pulls.get(at);
  // The listing is of the head of its moment: a branch that is pushed away and back would be judged
  // by the files of the other head.
  if (data.head.sha !== pull.head.sha) throw new Transient("the head moved while its files were listed");
  const missing = missingPatches(files)
    .filter((index) => isWanted(files[index]?.filename ?? ""))
    .slice(0, MAX_REFETCHES);
  for (const index of missing) {
    // With one file a page, the page number is the file's index in the list.
    const { data: page } = await github.rest.pulls.listFiles({ ...at, per_page: 1, page: index + 1 });
    const [again] = page;
    if (again !== undefined && again.filename === files[index]?.filename) files[index] = again;
  }
  const without = missing.flatMap((index) => {
    const file = files[index];
    return file === undefined || file.patch !== undefined || file.changes === 0 ? [] : [listedAs(file)];
  });
  // Changes since the branch left its base, not since the base's newest commit.
  const from = without.length === 0 ? "" : await mergeBaseOf(github, repo, pull.base.sha, pull.head.sha);
  const rebuilt = await blobPatches(github, repo, without, from, pull.head.sha);
  const all = files.map(listedAs).map((file): ListedFile => {
    const patch = rebuilt.get(file.path);
    return patch === undefined ? file : { ...file, patch, isRebuilt: true };
  });
  const total = Math.max(data.changed_files, all.length);
  const known = await withModes(github, repo, pull.head.sha, joined(all));
  return { kind: "listing", files: known, total: total - (all.length - known.length) };
}

/** Indexes of changed files without a patch, or that may have lost it to a response's limit. */
function missingPatches(files: readonly GitHubFile[]): number[] {
  const lines = files.map(({ patch }) => patch?.split("\n").length ?? 0);
  return files.flatMap((file, index) => {
    if (file.patch !== undefined) return [];
    const first = index - (index % PER_PAGE);
    const ofPage = lines.slice(first, first + PER_PAGE).reduce((sum, count) => sum + count, 0);
    const isSuspicious = ofPage > SUSPICIOUS_PATCH_LINES && file.status !== "renamed";
    return file.changes > 0 || isSuspicious ? [index] : [];
  });
}

// GitHub's listing of changed files has no modes: a symbolic link looks like a text of one line
// without an end, a submodule like a line about its commit, and either may come without any patch.

const SYMBOLIC_LINK = "120000";
const SUBMODULE = "160000";
const LIKE_A_SUBMODULE = /^\+Subproject commit [0-9a-f]{40,64}$/m;
const LIKE_A_LINK = /^@@ -[\d,]{1,30} \+1(?:,1)? @@/m;
const TARGET = /(?:^|\n)\+([^\n]{1,4096})\n\\ No newline[^\n]*$/;
/** Folders listed to learn modes, a request each. Files beyond are read as what they look like. */
const MOST_FOLDERS = 40;

function mayBeSpecial({ path, status, patch, additions }: ListedFile): boolean {
  if (status === "removed") return false;
  if (patch === null) return additions <= 1 && isSource({ path });
  return (LIKE_A_LINK.test(patch) && TARGET.test(patch)) || LIKE_A_SUBMODULE.test(patch);
}

/** The files, with the modes of links and submodules. Only files that may be one cost requests. */
async function withModes(
  github: GitHub,
  repo: Repo,
  headSha: string,
  files: readonly ListedFile[],
): Promise<readonly ListedFile[]> {
  const entryAt = entries(github, repo, headSha);
  const known: ListedFile[] = [];
  for (const file of files) {
    known.push(mayBeSpecial(file) ? await withMode(github, repo, file, await entryAt(file.path)) : file);
  }
  return known;
}

interface Entry {
  readonly mode: string;
  readonly sha: string;
}

/** Entries of a commit by path, up to a number of folders: GitHub cuts the list of a large tree. */
export function entries(github: GitHub, repo: Repo, sha: string): (path: string) => Promise<Entry | undefined> {
  const folders = new Map<string, ReadonlyMap<string, Entry>>();
  const at = async (path: string): Promise<Entry | undefined> => {
    const slash = path.lastIndexOf("/");
    const folder = path.slice(0, Math.max(0, slash));
    const known = folders.get(folder);
    if (known !== undefined) return known.get(path.slice(slash + 1));
    const tree = folder === "" ? sha : (await at(folder))?.sha;
    if (tree === undefined || folders.size >= MOST_FOLDERS) return undefined;
    const { data } = await github.rest.git.getTree({ ...placeOf(repo), tree_sha: tree });
    folders.set(folder, new Map(data.tree.map((entry) => [entry.path, entry])));
    return at(path);
  };
  return at;
}

/** A file with its mode where it is a link or a submodule; the patch of a link is its target. */
async function withMode(github: GitHub, repo: Repo, file: ListedFile, entry: Entry | undefined): Promise<ListedFile> {
  if (entry?.mode === SUBMODULE) return { ...file, newMode: SUBMODULE };
  if (entry?.mode !== SYMBOLIC_LINK) return file;
  const shown = file.patch === null ? undefined : TARGET.exec(file.patch)?.[1];
  const blob = async () => (await github.rest.git.getBlob({ ...placeOf(repo), file_sha: entry.sha })).data.content;
  const target = shown ?? Buffer.from(await blob(), "base64").toString();
  const patch = `@@ -0,0 +1 @@\n+${target.split("\n", 1)[0]}\n\\ No newline at end of file`;
  return { ...file, additions: 1, deletions: 0, patch, newMode: SYMBOLIC_LINK };
}

/** One changed file, where GitHub lists a link for a file (or the reverse) as removed and added. */
function joined(files: readonly ListedFile[]): readonly ListedFile[] {
  const byPath = new Map<string, ListedFile>();
  for (const file of files) {
    const before = byPath.get(file.path);
    const patches = [before?.patch, file.patch].filter((patch) => typeof patch === "string");
    byPath.set(
      file.path,
      before === undefined
        ? file
        : {
            ...(before.status === "removed" ? file : before),
            status: "modified",
            additions: before.additions + file.additions,
            deletions: before.deletions + file.deletions,
            patch: patches.length === 0 ? null : patches.join("\n"),
          },
    );
  }
  return [...byPath.values()];
}

async function changesWithoutDiff(
  github: GitHub,
  repo: Repo,
  pull: PullRequest,
  isWanted: (path: string) => boolean,
): Promise<Changes> {
  try {
    return await fromComparison(github, repo, pull);
  } catch (error) {
    if (!isNotReady(error)) throw error;
    return fromTrees(github, repo, pull, isWanted);
  }
}

async function fromComparison(github: GitHub, repo: Repo, pull: PullRequest): Promise<Changes> {
  const compared = { ...placeOf(repo), basehead: `${pull.base.sha}...${pull.head.sha}` };
  const { data } = await github.rest.repos.compareCommitsWithBasehead(compared);
  const listed = (data.files ?? []).map(listedAs);
  const place = { ...placeOf(repo), pull_number: pull.number };
  const isWhole = listed.length < COMPARED_FILES;
  const files = await withModes(github, repo, pull.head.sha, joined(listed));
  const total = isWhole ? files.length : (await github.rest.pulls.get(place)).data.changed_files;
  return { kind: "listing", files, total, degraded: noted("GitHub's comparison of the two commits was read") };
}

async function fromTrees(
  github: GitHub,
  repo: Repo,
  pull: PullRequest,
  isWanted: (path: string) => boolean,
): Promise<Changes> {
  // Files are on the first page only; the second has the merge base without a diff.
  const from = await mergeBaseOf(github, repo, pull.base.sha, pull.head.sha, 2);
  const before = await filesAt(github, repo, from);
  const after = await filesAt(github, repo, pull.head.sha);
  const paths = [...new Set([...before.entries.keys(), ...after.entries.keys()])].toSorted();
  const changed = paths.filter((path) => before.entries.get(path)?.sha !== after.entries.get(path)?.sha);
  const listed = changed.map((path) => {
    const status = !before.entries.has(path) ? "added" : after.entries.has(path) ? "modified" : "removed";
    return { path, previousPath: null, status } as const;
  });
  const compared = listed.filter(({ path }) => isWanted(path)).slice(0, MOST_READ);
  const rebuilt = await blobPatches(github, repo, compared, from, pull.head.sha);
  const files: ListedFile[] = [];
  for (const file of listed) {
    const patch = rebuilt.get(file.path) ?? null;
    const whole = { ...file, additions: 0, deletions: 0, patch, isRebuilt: true };
    files.push(await withMode(github, repo, whole, after.entries.get(file.path)));
  }
  const cut = before.isCut || after.isCut ? "; GitHub did not list all files, so some changes are missing" : "";
  const degraded = noted(`the texts of up to ${MOST_READ} changed files were compared${cut}`);
  return { kind: "listing", files, total: files.length, degraded };
}

async function filesAt(github: GitHub, repo: Repo, sha: string) {
  const { data } = await github.rest.git.getTree({ ...placeOf(repo), tree_sha: sha, recursive: "1" });
  const files = data.tree.filter(({ type }) => type !== "tree");
  return { entries: new Map(files.map((entry) => [entry.path, entry])), isCut: data.truncated };
}

function noted(instead: string) {
  return [{ part: "diff", reason: `GitHub could not make the diff of this pull request: ${instead}` }];
}

/** A changed file as GitHub lists it. */
export type GitHubFile = Awaited<ReturnType<GitHub["rest"]["pulls"]["listFiles"]>>["data"][number];

const STATUSES: readonly FileStatus[] = ["added", "removed", "renamed", "copied"];

function listedAs(file: GitHubFile): ListedFile {
  const { filename: path, additions, deletions, previous_filename: previousPath = null, patch = null } = file;
  const status = STATUSES.find((known) => known === file.status) ?? "modified";
  return { path, previousPath, status, additions, deletions, patch };
}

// The patch of a file for which GitHub has none: both texts, compared here.

type Named = Pick<ListedFile, "path" | "previousPath" | "status">;

/** Hunks by path, from merge base to head; none for binary, large or too different texts. */
async function blobPatches(
  github: GitHub,
  repo: Repo,
  files: readonly Named[],
  from: string,
  to: string,
): Promise<ReadonlyMap<string, string>> {
  const read = (path: string, sha: string) => readText(github, repo, path, sha, MAX_BLOB_BYTES);
  const texts = await Promise.all(
    files.map(async ({ path, previousPath, status }) => ({
      path,
      before: status === "added" ? "" : await read(previousPath ?? path, from),
      after: status === "removed" ? "" : await read(path, to),
    })),
  );
  const patches = new Map<string, string>();
  let rewritten = 0;
  for (const { path, before, after } of texts) {
    if (before === null || after === null || rewritten >= MOST_REWRITTEN) continue;
    const limits = { context: 3, maxEditLength: MOST_DIFFERENT };
    // A file that is all new or gone needs no comparison.
    const isOneSided = before === "" || after === "";
    const options = isOneSided ? { context: 3 } : limits;
    const patch = createTwoFilesPatch("a", "b", before, after, undefined, undefined, options);
    const start = patch?.indexOf("@@") ?? -1;
    if (patch === undefined) rewritten++;
    else if (start >= 0) patches.set(path, patch.slice(start));
    await setImmediate();
  }
  return patches;
}

/** Null unless it is a text of at most `maxBytes` and no link. No sha: the default branch. */
export async function readText(
  github: GitHub,
  repo: Repo,
  path: string,
  sha: string | undefined,
  maxBytes: number,
): Promise<string | null> {
  // Steps in an address and never a file: the URL parser would leave the repository.
  if (path === "" || path === "." || path === "..") return null;
  const where = { ...placeOf(repo), path, ...(sha === undefined ? {} : { ref: sha }) };
  const found = await unlessStatus([404], () => github.rest.repos.getContent(where));
  const data = found?.data;
  // GitHub inlines content up to 1 MB; a larger file has encoding "none".
  if (data === undefined || Array.isArray(data) || data.type !== "file") return null;
  if (data.size > maxBytes || data.encoding !== "base64") return null;
  const bytes = Buffer.from(data.content, "base64");
  // For a link GitHub answers with the link's id and its target's text, which is not the diff's.
  return blobSha(bytes, data.sha.length) === data.sha ? decodeText(bytes) : null;
}

// What a push changed, from GitHub's comparison of two commits.

/**
 * Compares an earlier review's head with this one; two more requests if the base moved.
 *
 * @returns `unknown` when the earlier head was removed or is not an ancestor, when the branch
 *   leaves its base elsewhere, or when more files changed than GitHub lists
 */
export async function changesSince(
  github: GitHub,
  repo: Repo,
  pull: PullRequest,
  earlier: { readonly headSha: string; readonly baseSha: string },
): Promise<ChangesSince> {
  const at = placeOf(repo);
  try {
    const basehead = `${earlier.headSha}...${pull.head.sha}`;
    const { data } = await github.rest.repos.compareCommitsWithBasehead({ ...at, basehead, per_page: 100 });
    if (data.status !== "ahead" && data.status !== "identical") {
      return unknown("the branch was rewritten since the last review");
    }
    if (earlier.baseSha !== pull.base.sha) {
      const before = await mergeBaseOf(github, repo, earlier.baseSha, earlier.headSha);
      const now = await mergeBaseOf(github, repo, pull.base.sha, pull.head.sha);
      if (before !== now) return unknown("the branch starts from another commit of its base than at the last review");
    }
    const files = (data.files ?? []).map(listedAs);
    if (files.length >= COMPARED_FILES) return unknown("too many files changed since the last review");
    return { kind: "since", changes: { kind: "listing", files, total: files.length } };
  } catch (error) {
    if (isNotReady(error)) return unknown("GitHub could not compare this head with that of the last review");
    if (statusOf(error) === 404) return unknown("the head of the last review no longer exists");
    throw error;
  }
}

function unknown(reason: string): ChangesSince {
  return { kind: "unknown", reason };
}

/** The newest common ancestor of two commits. */
export async function mergeBaseOf(
  github: GitHub,
  repo: Repo,
  base: string,
  head: string,
  page: number = 1,
): Promise<string> {
  const query = { ...placeOf(repo), basehead: `${base}...${head}`, per_page: 1, page };
  return (await github.rest.repos.compareCommitsWithBasehead(query)).data.merge_base_commit.sha;
}
