// The changed files of a pull request; patches that GitHub left out are fetched again.

import type { Repo } from "../../../domain/job.ts";
import type { PullRequest } from "../../../domain/pull-request.ts";
import type { Changes, ChangesSince, ListedFile } from "../../../ports.ts";
import type { GitHub } from "../clients.ts";
import { placeOf, statusOf } from "../requests.ts";
import { isNotReady } from "../translate-error.ts";
import { blobPatch, COMPARED_FILES, changesWithoutDiff, listedAs } from "./unmade-diff.ts";

type GitHubFile = Awaited<ReturnType<GitHub["rest"]["pulls"]["listFiles"]>>["data"][number];

/** GitHub lists at most 3,000 files of a pull request, at most 100 a page. */
const PER_PAGE = 100;
/** Since 2026-11-19 GitHub drops patches after about 20,000 patch lines of one response; smaller pages bring them back. */
const SUSPICIOUS_PATCH_LINES = 15_000;
/** Maximum number of further requests for missing patches. */
const MAX_REFETCHES = 60;
/** Attempts of a job that wait for GitHub to make the diff: with the queue's waits at least 17 s. */
const TRIES_FOR_DIFF = 3;

/**
 * Lists the files of a pull request. A file whose patch is unavailable keeps `patch: null` and its counts.
 *
 * @param attempt of the job, from 1; null without retries
 * @throws RequestError with 422 while GitHub makes the diff, in the first attempts; later attempts use other sources
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
  const at = { ...placeOf(repo), pull_number: pull.number };
  const files = [...(await github.paginate(github.rest.pulls.listFiles, { ...at, per_page: PER_PAGE }))];
  const { data } = await github.rest.pulls.get(at);
  const missing = missingPatches(files).slice(0, MAX_REFETCHES);
  for (const index of missing) {
    // With one file a page, the page number is the file's index in the list.
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

/** Indexes of files that changed lines and have no patch, or may have lost it to the limit of their response. */
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
  const given = listedAs(file);
  const rebuilt = lost ? await rebuiltPatch(github, repo, pull, given) : null;
  return rebuilt === null ? given : { ...given, patch: rebuilt, isRebuilt: true };
}

/** A pull request shows the changes since its branch left the base, not since the base's newest commit. */
async function rebuiltPatch(
  github: GitHub,
  repo: Repo,
  { base, head }: PullRequest,
  file: Pick<ListedFile, "path" | "previousPath" | "status">,
): Promise<string | null> {
  const from = await mergeBaseOf(github, repo, base.sha, head.sha);
  return blobPatch(github, repo, file, { from, to: head.sha });
}

// GitHub's listing of changed files has no modes: a symbolic link looks like a text of one line, a submodule like one of two.

const SUBMODULE = /^@@ [^\n]{1,60}\n(?:[-+]Subproject commit [0-9a-f]{40,64}(?:\n|$)){1,2}/;
/** At most one line on either side, the new one without a line end: how git prints the target of a link. */
const LIKE_A_LINK =
  /^@@ -(?:0,0|1|1,1) \+1(?:,1)? @@\n(?:-[^\n]*\n(?:\\[^\n]*\n)?)?\+[^\n]{1,4096}\n\\ No newline[^\n]*$/;

/**
 * Modes of files that are links or submodules; all others are left out. Reads the head's tree from GitHub only when a file looks
 * like a link.
 *
 * @returns path → `120000` or `160000`
 */
async function specialModes(
  github: GitHub,
  repo: Repo,
  headSha: string,
  files: readonly ListedFile[],
): Promise<ReadonlyMap<string, string>> {
  const modes = new Map<string, string>();
  for (const { path, patch } of files) if (patch !== null && SUBMODULE.test(patch)) modes.set(path, "160000");
  const suspects = new Set(
    files.filter(({ patch }) => patch !== null && LIKE_A_LINK.test(patch)).map(({ path }) => path),
  );
  if (suspects.size === 0) return modes;
  const at = placeOf(repo);
  const { data } = await github.rest.git.getTree({ ...at, tree_sha: headSha, recursive: "1" });
  for (const { path, mode } of data.tree) if (mode === "120000" && suspects.has(path)) modes.set(path, mode);
  return modes;
}

// What a push changed, from GitHub's comparison of two commits.

/**
 * Compares the head of an earlier review with this one: one request, and two more when the base has moved.
 *
 * @returns `unknown` when the earlier head was removed or is not an ancestor, when the branch leaves its base elsewhere, or when
 *   more files changed than GitHub lists
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
    const reason = unknownBy(error);
    if (reason === null) throw error;
    return unknown(reason);
  }
}

function unknown(reason: string): ChangesSince {
  return { kind: "unknown", reason };
}

/** Why GitHub has no comparison, so that everything is read again; null for another error. */
function unknownBy(error: unknown): string | null {
  if (isNotReady(error)) return "GitHub could not compare this head with that of the last review";
  return statusOf(error) === 404 ? "the head of the last review no longer exists" : null;
}

// Where a branch left its base.

/** The newest common ancestor of two commits. */
export async function mergeBaseOf(github: GitHub, repo: Repo, base: string, head: string): Promise<string> {
  const { data } = await github.rest.repos.compareCommitsWithBasehead({
    owner: repo.owner,
    repo: repo.name,
    basehead: `${base}...${head}`,
    per_page: 1,
  });
  return data.merge_base_commit.sha;
}
