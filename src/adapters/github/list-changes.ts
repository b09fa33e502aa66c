// The changed files of a pull request, with the patches that GitHub leaves out fetched again.
import { createTwoFilesPatch } from "diff";
import type { Repo } from "../../domain/job.ts";
import type { FileStatus, PullRequest } from "../../domain/pull-request.ts";
import type { Changes, ListedFile } from "../../ports.ts";
import type { GitHub } from "./clients.ts";
import { mergeBaseOf } from "./merge-base.ts";
import { specialModes } from "./special-modes.ts";

type GitHubFile = Awaited<ReturnType<GitHub["rest"]["pulls"]["listFiles"]>>["data"][number];

/** GitHub lists at most 3,000 files of a pull request, at most 100 a page. */
const PER_PAGE = 100;
/** Since 2026-11-19 GitHub drops patches after about 20,000 patch lines of one response; smaller pages bring them back. */
const SUSPICIOUS_PATCH_LINES = 15_000;
/** At most this many further requests for patches that are missing. */
const MAX_REFETCHES = 60;
const MAX_BLOB_BYTES = 1_000_000;

/** Lists the files of a pull request. A file whose patch cannot be had keeps `patch: null` and its counts. */
export async function listChanges(github: GitHub, repo: Repo, pull: PullRequest): Promise<Changes> {
  const at = { owner: repo.owner, repo: repo.name, pull_number: pull.number };
  const files = [...(await github.paginate(github.rest.pulls.listFiles, { ...at, per_page: PER_PAGE }))];
  const { data } = await github.rest.pulls.get(at);
  const missing = missingPatches(files).slice(0, MAX_REFETCHES);
  for (const index of missing) {
    // One file a page: the page number is the file's place in the list.
    const { data: page } = await github.rest.pulls.listFiles({ ...at, per_page: 1, page: index + 1 });
    const [again] = page;
    if (again !== undefined && again.filename === files[index]?.filename) files[index] = again;
  }
  const listed = await Promise.all(
    files.map((file, index) => listedFile(github, repo, pull, file, missing.includes(index))),
  );
  const modes = await specialModes(github, repo, pull.head.sha, listed);
  const withModes = listed.map((file) => ({ ...file, newMode: modes.get(file.path) ?? null }));
  return { kind: "listing", files: withModes, total: Math.max(data.changed_files, listed.length) };
}

/** Places of files that changed lines and have no patch, or may have lost it to the limit of their response. */
function missingPatches(files: readonly GitHubFile[]): number[] {
  const linesOfPage = new Map<number, number>();
  files.forEach((file, index) => {
    const page = Math.floor(index / PER_PAGE);
    linesOfPage.set(page, (linesOfPage.get(page) ?? 0) + (file.patch?.split("\n").length ?? 0));
  });
  return files.flatMap((file, index) => {
    if (file.patch !== undefined) return [];
    const suspicious = (linesOfPage.get(Math.floor(index / PER_PAGE)) ?? 0) > SUSPICIOUS_PATCH_LINES;
    return file.changes > 0 || (suspicious && file.status !== "renamed") ? [index] : [];
  });
}

async function listedFile(
  github: GitHub,
  repo: Repo,
  pull: PullRequest,
  file: GitHubFile,
  wasMissing: boolean,
): Promise<ListedFile> {
  const lost = wasMissing && file.patch === undefined && file.changes > 0;
  return {
    path: file.filename,
    previousPath: file.previous_filename ?? null,
    status: status(file.status),
    additions: file.additions,
    deletions: file.deletions,
    patch: file.patch ?? (lost ? await patchFromBlobs(github, repo, pull, file) : null),
  };
}

/** The last resort for a file that GitHub shows no patch of: both texts, compared here. Null when one is too large. */
async function patchFromBlobs(github: GitHub, repo: Repo, pull: PullRequest, file: GitHubFile): Promise<string | null> {
  const path = file.previous_filename ?? file.filename;
  const before = file.status === "added" ? "" : await blob(github, repo, path, await mergeBase(github, repo, pull));
  const after = file.status === "removed" ? "" : await blob(github, repo, file.filename, pull.head.sha);
  if (before === null || after === null) return null;
  const patch = createTwoFilesPatch("a", "b", before, after, undefined, undefined, {
    context: 3,
    maxEditLength: 20_000,
    timeout: 5_000,
  });
  const start = patch?.indexOf("@@") ?? -1;
  return patch === undefined || start < 0 ? null : patch.slice(start);
}

/** A pull request shows what changed since its branch left the base, not since the base's newest commit. */
function mergeBase(github: GitHub, repo: Repo, pull: PullRequest): Promise<string> {
  return mergeBaseOf(github, repo, pull.base.sha, pull.head.sha);
}

async function blob(github: GitHub, repo: Repo, path: string, ref: string): Promise<string | null> {
  // A step in an address and never a file.
  if (path === "." || path === "..") return null;
  const { data } = await github.rest.repos.getContent({ owner: repo.owner, repo: repo.name, path, ref });
  if (Array.isArray(data) || data.type !== "file" || data.encoding !== "base64" || data.size > MAX_BLOB_BYTES)
    return null;
  const bytes = Buffer.from(data.content, "base64");
  return bytes.includes(0) ? null : bytes.toString("utf8");
}

/** GitHub's word for what happened to a file, in ours. */
export function status(word: GitHubFile["status"]): FileStatus {
  switch (word) {
    case "added":
    case "removed":
    case "renamed":
    case "copied":
      return word;
    default:
      return "modified";
  }
}
