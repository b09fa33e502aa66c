// The changed files of a pull request, with the patches that GitHub leaves out fetched again.
import type { Repo } from "../../domain/job.ts";
import type { PullRequest } from "../../domain/pull-request.ts";
import type { Changes, ListedFile } from "../../ports.ts";
import { blobPatch } from "./blob-patch.ts";
import type { GitHub } from "./clients.ts";
import { fileStatus } from "./file-status.ts";
import { mergeBaseOf } from "./merge-base.ts";
import { specialModes } from "./special-modes.ts";
import { isNotReady } from "./translate-error.ts";
import { changesWithoutDiff } from "./unmade-diff.ts";

type GitHubFile = Awaited<ReturnType<GitHub["rest"]["pulls"]["listFiles"]>>["data"][number];

/** GitHub lists at most 3,000 files of a pull request, at most 100 a page. */
const PER_PAGE = 100;
/** Since 2026-11-19 GitHub drops patches after about 20,000 patch lines of one response; smaller pages bring them back. */
const SUSPICIOUS_PATCH_LINES = 15_000;
/** At most this many further requests for patches that are missing. */
const MAX_REFETCHES = 60;
/** Tries of a job that wait for GitHub to make the diff: with the queue's waits at least 17 s. */
const TRIES_FOR_DIFF = 3;

/**
 * Lists the files of a pull request. A file whose patch cannot be had keeps `patch: null` and its counts.
 *
 * @param attempt of the job, from 1; null where nothing tries again
 * @throws RequestError with 422 while GitHub makes the diff, in the first tries; after them other ways are taken
 */
export async function listChanges(
  github: GitHub,
  repo: Repo,
  pull: PullRequest,
  attempt: number | null,
): Promise<Changes> {
  try {
    return await listed(github, repo, pull);
  } catch (error) {
    if (!isNotReady(error) || (attempt !== null && attempt <= TRIES_FOR_DIFF)) throw error;
    return changesWithoutDiff(github, repo, pull);
  }
}

async function listed(github: GitHub, repo: Repo, pull: PullRequest): Promise<Changes> {
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
  const all = await Promise.all(
    files.map((file, index) => listedFile(github, repo, pull, file, missing.includes(index))),
  );
  const modes = await specialModes(github, repo, pull.head.sha, all);
  const withModes = all.map((file) => ({ ...file, newMode: modes.get(file.path) ?? null }));
  return { kind: "listing", files: withModes, total: Math.max(data.changed_files, all.length) };
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
  const named = {
    path: file.filename,
    previousPath: file.previous_filename ?? null,
    status: fileStatus(file.status),
  };
  const rebuilt = lost ? await rebuiltPatch(github, repo, pull, named) : null;
  return {
    ...named,
    additions: file.additions,
    deletions: file.deletions,
    patch: file.patch ?? rebuilt,
    ...(rebuilt === null ? {} : { isRebuilt: true }),
  };
}

/** A pull request shows what changed since its branch left the base, not since the base's newest commit. */
async function rebuiltPatch(
  github: GitHub,
  repo: Repo,
  { base, head }: PullRequest,
  file: Pick<ListedFile, "path" | "previousPath" | "status">,
): Promise<string | null> {
  const from = await mergeBaseOf(github, repo, base.sha, head.sha);
  return blobPatch(github, repo, file, { from, to: head.sha });
}
