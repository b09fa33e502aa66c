// What a pull request changes, answered from the emulator's own three-dot compare, with GitHub's limits:
// 3,000 files, no patch after 20,000 patch lines of one response, 406 for a diff that is too large.
import { isJson, type Json, type Pull, Refusal } from "./conversation.ts";
import type { GitHalf } from "./emulator.ts";

// Sources: GitHub's REST reference for "List pull requests files" and the diff media type; the limit per response is
// community discussion 213491.
const LISTED_FILES = 3000;
const COMPARED_FILES = 300;
const PATCH_LINES_PER_RESPONSE = 20_000;
const DIFF_FILES = 300;
const DIFF_LINES = 20_000;
const DIFF_BYTES = 1_000_000;

export interface ChangedFile {
  readonly filename: string;
  readonly previous_filename?: string;
  readonly status: string;
  readonly additions: number;
  readonly deletions: number;
  readonly changes: number;
  readonly patch?: string;
  readonly [more: string]: unknown;
}

export interface Changes {
  readonly files: readonly ChangedFile[];
  readonly commits: readonly Json[];
}

export type ReadChanges = (pull: Pull, head?: string) => Promise<Changes>;

/** Changes of a pull request up to `head` (its own head when left out); remembered, because commits never change. */
export function changesReader(git: GitHalf): ReadChanges {
  const known = new Map<string, Promise<Changes>>();
  return (pull, head = pull.headSha) => {
    const repo = `${pull.owner}/${pull.repo}`;
    const key = `${repo} ${pull.baseSha} ${head}`;
    const made = known.get(key) ?? read(git, repo, pull.baseSha, head);
    known.set(key, made);
    return made;
  };
}

async function read(git: GitHalf, repo: string, base: string, head: string): Promise<Changes> {
  const compare = await git.ask("GET", `/repos/${repo}/compare/${base}...${head}`);
  const files = compare.files as ChangedFile[];
  const commits = compare.commits as Json[];
  if (files.length < COMPARED_FILES) return { files, commits };
  // Compare stops at 300 files. A commit lists 3,000, so all commits of the pull request become one on the merge base.
  const headCommit = await git.ask("GET", `/repos/${repo}/git/commits/${head}`);
  const mergeBase = isJson(compare.merge_base_commit) ? String(compare.merge_base_commit.sha) : base;
  const tree = isJson(headCommit.tree) ? headCommit.tree.sha : undefined;
  const whole = await git.ask("POST", `/repos/${repo}/git/commits`, { message: "whole", tree, parents: [mergeBase] });
  const all: ChangedFile[] = [];
  for (let page = 1; ; page++) {
    const part = await git.ask("GET", `/repos/${repo}/commits/${whole.sha}?per_page=300&page=${page}`);
    const listed = Array.isArray(part.files) ? (part.files as ChangedFile[]) : [];
    for (const file of listed) all.push(relinked(file, String(whole.sha), head));
    if (listed.length === 0 || all.length >= LISTED_FILES) return { files: all, commits };
  }
}

function relinked(file: ChangedFile, from: string, to: string): ChangedFile {
  return JSON.parse(JSON.stringify(file).replaceAll(from, to)) as ChangedFile;
}

/** One page of files as GitHub lists them: patches of large files, and of the rest of a large response, are missing. */
export function listedPage(files: readonly ChangedFile[], pull: Pull): ChangedFile[] {
  let budget = PATCH_LINES_PER_RESPONSE;
  return files.map((file) => {
    const { patch, ...bare } = file;
    if (patch === undefined || pull.withoutPatch.has(file.filename)) return bare as ChangedFile;
    const lines = patch.split("\n").length;
    budget -= lines;
    return budget < 0 ? ({ ...bare, additions: 0, deletions: 0, changes: 0 } as ChangedFile) : file;
  });
}

/** The unified diff, or GitHub's 406 when it is larger than GitHub delivers. */
export function unifiedDiff(files: readonly ChangedFile[], pull: Pull): string {
  const text = files.map((file) => section(file, pull)).join("");
  const tooLarge = files.length > DIFF_FILES || text.split("\n").length > DIFF_LINES || text.length > DIFF_BYTES;
  if (tooLarge) {
    const error = { resource: "PullRequest", field: "diff", code: "too_large" };
    throw new Refusal(406, "Sorry, the diff exceeded the maximum number of files (300) or lines (20000).", [error]);
  }
  return text;
}

function section(file: ChangedFile, pull: Pull): string {
  const from = file.previous_filename ?? file.filename;
  const head = `diff --git a/${from} b/${file.filename}\n`;
  const mode =
    file.status === "added" ? "new file mode 100644\n" : file.status === "removed" ? "deleted file mode 100644\n" : "";
  const rename = file.previous_filename
    ? `similarity index 100%\nrename from ${from}\nrename to ${file.filename}\n`
    : "";
  if (file.patch === undefined || pull.withoutPatch.has(file.filename)) {
    const binary = rename === "" ? `Binary files a/${from} and b/${file.filename} differ\n` : "";
    return head + mode + rename + binary;
  }
  const before = file.status === "added" ? "/dev/null" : `a/${from}`;
  const after = file.status === "removed" ? "/dev/null" : `b/${file.filename}`;
  return `${head}${mode}${rename}--- ${before}\n+++ ${after}\n${file.patch}\n`;
}
