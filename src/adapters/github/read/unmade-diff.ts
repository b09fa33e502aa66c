// The changes of a pull request whose diff GitHub does not provide: from its comparison of the two commits, or from their trees.
import { createTwoFilesPatch } from "diff";
import type { Repo } from "../../../domain/job.ts";
import type { FileStatus, PullRequest } from "../../../domain/pull-request.ts";
import type { Changes, ListedFile } from "../../../ports.ts";
import type { GitHub } from "../clients.ts";
import { placeOf } from "../requests.ts";
import { isNotReady } from "../translate-error.ts";

/** Files whose two texts are compared; each costs two requests. */
const MOST_READ = 60;
/** GitHub's comparison lists at most 300 files, all on its first page. */
export const COMPARED_FILES = 300;

/** @throws RequestError as GitHub answers */
export async function changesWithoutDiff(github: GitHub, repo: Repo, pull: PullRequest): Promise<Changes> {
  try {
    return await fromComparison(github, repo, pull);
  } catch (error) {
    if (!isNotReady(error)) throw error;
    return fromTrees(github, repo, pull);
  }
}

const headOverBase = ({ base, head }: PullRequest) => `${base.sha}...${head.sha}`;

async function fromComparison(github: GitHub, repo: Repo, pull: PullRequest): Promise<Changes> {
  const { data } = await github.rest.repos.compareCommitsWithBasehead({
    ...placeOf(repo),
    basehead: headOverBase(pull),
  });
  const files = (data.files ?? []).map(listedAs);
  const asked = { ...placeOf(repo), pull_number: pull.number };
  const total = files.length < COMPARED_FILES ? files.length : (await github.rest.pulls.get(asked)).data.changed_files;
  return { kind: "listing", files, total, degraded: noted("GitHub's comparison of the two commits was read") };
}

async function fromTrees(github: GitHub, repo: Repo, pull: PullRequest): Promise<Changes> {
  // Files are on the first page only; the second has the merge base without a diff.
  const asked = { ...placeOf(repo), basehead: headOverBase(pull), per_page: 1, page: 2 };
  const from = (await github.rest.repos.compareCommitsWithBasehead(asked)).data.merge_base_commit.sha;
  const before = await filesAt(github, repo, from);
  const after = await filesAt(github, repo, pull.head.sha);
  const paths = [...new Set([...before.blobs.keys(), ...after.blobs.keys()])].toSorted();
  const changed = paths.filter((path) => before.blobs.get(path) !== after.blobs.get(path));
  const files: ListedFile[] = [];
  for (const [index, path] of changed.entries()) {
    const status = !before.blobs.has(path) ? "added" : after.blobs.has(path) ? "modified" : "removed";
    const file = { path, previousPath: null, status } as const;
    const patch = index < MOST_READ ? await blobPatch(github, repo, file, { from, to: pull.head.sha }) : null;
    files.push({ ...file, additions: 0, deletions: 0, patch, isRebuilt: true });
  }
  const cut = before.isCut || after.isCut ? "; GitHub did not list all files, so some changes are missing" : "";
  const degraded = noted(`the texts of up to ${MOST_READ} changed files were compared${cut}`);
  return { kind: "listing", files, total: files.length, degraded };
}

async function filesAt(github: GitHub, repo: Repo, sha: string) {
  const { data } = await github.rest.git.getTree({ ...placeOf(repo), tree_sha: sha, recursive: "1" });
  const blobs = data.tree.flatMap(({ path, type, sha: id }) => (type === "blob" ? [[path, id] as const] : []));
  return { blobs: new Map(blobs), isCut: data.truncated };
}

function noted(instead: string) {
  return [{ part: "diff", reason: `GitHub could not make the diff of this pull request: ${instead}` }];
}

/** A changed file as GitHub lists it. */
export interface GitHubFile {
  readonly filename: string;
  readonly previous_filename?: string;
  readonly status: string;
  readonly additions: number;
  readonly deletions: number;
  readonly patch?: string;
}

const STATUSES: readonly FileStatus[] = ["added", "removed", "renamed", "copied"];

export function listedAs(file: GitHubFile): ListedFile {
  const { filename: path, additions, deletions, previous_filename: previousPath = null, patch = null } = file;
  const status = STATUSES.find((one) => one === file.status) ?? "modified";
  return { path, previousPath, status, additions, deletions, patch };
}

// The patch of a file for which GitHub has none: both texts, compared here.

const MAX_BLOB_BYTES = 1_000_000;

/**
 * @param from the merge base
 * @param to the head
 * @returns hunks; null when a text is binary or too large, or the two differ in too much
 */
export async function blobPatch(
  github: GitHub,
  repo: Repo,
  { path, previousPath, status }: Pick<ListedFile, "path" | "previousPath" | "status">,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<string | null> {
  const before = status === "added" ? "" : await blob(github, repo, previousPath ?? path, from);
  const after = status === "removed" ? "" : await blob(github, repo, path, to);
  if (before === null || after === null) return null;
  const patch = createTwoFilesPatch("a", "b", before, after, undefined, undefined, {
    context: 3,
    maxEditLength: 20_000,
    timeout: 5_000,
  });
  const start = patch?.indexOf("@@") ?? -1;
  return patch === undefined || start < 0 ? null : patch.slice(start);
}

async function blob(github: GitHub, repo: Repo, path: string, ref: string): Promise<string | null> {
  // A step in an address and never a file.
  if (path === "." || path === "..") return null;
  const { data } = await github.rest.repos.getContent({ ...placeOf(repo), path, ref });
  if (Array.isArray(data) || data.type !== "file" || data.encoding !== "base64" || data.size > MAX_BLOB_BYTES)
    return null;
  const bytes = Buffer.from(data.content, "base64");
  return bytes.includes(0) ? null : bytes.toString("utf8");
}
