// What a pull request changes, answered from the emulator's own three-dot compare, with GitHub's
// limits: 3,000 files, no patch after 20,000 patch lines of one response, 406 for a diff that is
// too large.
import { isJson, type Json, type Pull, Refusal } from "./conversation.ts";
import type { GitHalf } from "./emulator.ts";

// Sources: GitHub's REST reference for "List pull requests files" and the diff media type; the
// limit per response is community discussion 213491.
const COMPARED_FILES = 300;
const PORTION = 250;
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

/**
 * Changes of a pull request up to `head` (its own head when left out); remembered, because commits
 * never change.
 */
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
  return { files: await inPortions(git, repo, compare, head), commits };
}

/**
 * Compare stops at 300 files, so a larger change is compared in portions: each a commit on the
 * merge base that holds a part of the head's files. Sorted by blob, so that both ends of a rename
 * fall into one portion.
 */
async function inPortions(git: GitHalf, repo: string, compare: Json, head: string): Promise<ChangedFile[]> {
  const mergeBase = isJson(compare.merge_base_commit) ? String(compare.merge_base_commit.sha) : "";
  const [before, after] = await Promise.all([mergeBase, head].map((sha) => entriesOf(git, repo, sha)));
  const paths = new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])]);
  const changed = [...paths].flatMap((path) => {
    const [old, now] = [before?.get(path), after?.get(path)];
    if (old?.sha === now?.sha && old?.mode === now?.mode) return [];
    const blob = String((now ?? old)?.sha);
    return [{ blob, entry: now ?? { path, mode: old?.mode, type: old?.type, sha: null } }];
  });
  changed.sort((a, b) => (a.blob < b.blob ? -1 : a.blob > b.blob ? 1 : 0));
  const files: ChangedFile[] = [];
  for (let at = 0; at < changed.length; at += PORTION) {
    const tree = {
      base_tree: await treeOf(git, repo, mergeBase),
      tree: changed.slice(at, at + PORTION).map((one) => one.entry),
    };
    const { sha } = await git.ask("POST", `/repos/${repo}/git/trees`, tree);
    const commit = { message: "portion", tree: sha, parents: [mergeBase] };
    const portion = String((await git.ask("POST", `/repos/${repo}/git/commits`, commit)).sha);
    const part = await git.ask("GET", `/repos/${repo}/compare/${mergeBase}...${portion}`);
    files.push(...(part.files as ChangedFile[]).map((file) => relinked(file, portion, head)));
  }
  return files.sort((a, b) => (a.filename < b.filename ? -1 : 1));
}

async function treeOf(git: GitHalf, repo: string, commit: string): Promise<string> {
  const { tree } = await git.ask("GET", `/repos/${repo}/git/commits/${commit}`);
  return isJson(tree) ? String(tree.sha) : "";
}

/** Path → entry of every file of a commit. */
async function entriesOf(git: GitHalf, repo: string, commit: string): Promise<Map<string, Json>> {
  const whole = await git.ask("GET", `/repos/${repo}/git/trees/${await treeOf(git, repo, commit)}?recursive=1`);
  const entries = Array.isArray(whole.tree) ? whole.tree.filter(isJson) : [];
  const files = entries.filter(({ type }) => type !== "tree");
  return new Map(files.map(({ path, mode, type, sha }) => [String(path), { path, mode, type, sha }]));
}

function relinked(file: ChangedFile, from: string, to: string): ChangedFile {
  return JSON.parse(JSON.stringify(file).replaceAll(from, to)) as ChangedFile;
}

/**
 * One page of files as GitHub lists them: patches of large files, and of the rest of a large
 * response, are missing.
 */
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
