// The files of a local head: of a commit, of the index, or of the working tree. All of it is local.

import { readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { PullRequest } from "../../domain/pull-request.ts";
import type { Tree, TreeFile } from "../../ports/memory.ts";
import type { Snapshot, SnapshotFile, Snapshots } from "../../ports/snapshot.ts";
import { blobSha } from "../blob-cache.ts";
import { checkSize, NoSnapshot, SNAPSHOT_LIMITS } from "../snapshot-limits.ts";
import { blobReader, blobSizes, textOf } from "./blob-reader.ts";
import { GitFailed, git, gitText, topOf } from "./git.ts";

/** Where the files of a head are. */
export type LocalHead = "commit" | "index" | "working tree" | { readonly missing: string };

/** Snapshots of the head of a pull request made from a local range. */
export function localSnapshots(cwd: string, head: LocalHead): Snapshots {
  return {
    async at(_repo, pull) {
      try {
        return { snapshot: await snapshotOf(cwd, head, pull), degraded: [] };
      } catch (error) {
        if (!(error instanceof NoSnapshot || error instanceof GitFailed)) throw error;
        const reason = `files around the change were not read: ${error.message}`;
        return { snapshot: null, degraded: [{ part: "snapshot", reason }] };
      }
    },
  };
}

function snapshotOf(cwd: string, head: LocalHead, { head: { sha } }: PullRequest): Promise<Snapshot> {
  if (head === "commit") return commitSnapshot(cwd, sha);
  if (head === "index") return indexSnapshot(cwd, sha);
  if (head === "working tree") return workingSnapshot(cwd, sha);
  throw new NoSnapshot(head.missing);
}

/**
 * The files of a commit of a clone, bare or not.
 *
 * @throws NoSnapshot when there are too many; GitFailed when the revision does not exist
 */
async function commitSnapshot(cwd: string, revision: string): Promise<Snapshot> {
  const { commit, list } = await gitTree(cwd, revision);
  const files = (await list()).files.map(({ path, hash, bytes }) => ({ path, blob: hash, bytes }));
  return ofObjects(cwd, commit, files);
}

/** `MODE HASH STAGE\tPATH` with a NUL after each, from the top of the clone. */
async function indexSnapshot(cwd: string, sha: string): Promise<Snapshot> {
  const top = await topOf(cwd);
  const listing = (await git(top, ["ls-files", "--stage", "-z"])).toString("utf8");
  const entries = listing.split("\0").map((line) => /^100(?:644|755) (\w+) 0\t(.+)$/s.exec(line) ?? []);
  const sizes = await blobSizes(
    top,
    entries.flatMap(([, blob]) => blob ?? []),
  );
  const files = entries.flatMap(([, blob = "", path = ""]) => {
    const bytes = sizes.get(blob);
    return bytes === undefined ? [] : [{ path, blob, bytes }];
  });
  return ofObjects(top, sha, files);
}

function ofObjects(cwd: string, sha: string, listed: readonly SnapshotFile[]): Snapshot {
  const reader = blobReader(cwd);
  return ofFiles(sha, listed, ({ blob }) => reader.read(blob));
}

function ofFiles(
  sha: string,
  listed: readonly SnapshotFile[],
  read: (file: SnapshotFile) => Promise<Buffer | null>,
): Snapshot {
  checkSize(listed, SNAPSHOT_LIMITS);
  const small = listed.filter(({ bytes }) => bytes <= SNAPSHOT_LIMITS.fileBytes);
  const files = new Map(small.map((file) => [file.path, file]));
  return {
    sha,
    files,
    async text(path) {
      const file = files.get(path);
      return file === undefined ? null : textOf(await read(file));
    },
  };
}

/** Tracked files and those to add, as on disk: git's own filters would run programs. */
async function workingSnapshot(cwd: string, sha: string): Promise<Snapshot> {
  const top = await realpath(await topOf(cwd));
  const listing = await git(top, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
  const paths = [...new Set(listing.toString("utf8").split("\0"))].filter((path) => path !== "");
  if (paths.length > SNAPSHOT_LIMITS.files)
    checkSize(
      paths.map(() => ({ bytes: 0 })),
      SNAPSHOT_LIMITS,
    );
  const listed: SnapshotFile[] = [];
  for (const path of paths) {
    const bytes = await workingBytes(top, path, SNAPSHOT_LIMITS.fileBytes);
    if (bytes !== null) listed.push({ path, blob: blobSha(bytes, sha.length), bytes: bytes.length });
  }
  return ofFiles(sha, listed, async ({ path, blob }) => {
    const bytes = await workingBytes(top, path, SNAPSHOT_LIMITS.fileBytes);
    // A file that was edited meanwhile no longer matches.
    return bytes !== null && blobSha(bytes, sha.length) === blob ? bytes : null;
  });
}

/**
 * A regular file of the working tree of at most so many bytes; null for others and links.
 *
 * @param top a path without links
 */
export async function workingBytes(top: string, path: string, most: number): Promise<Buffer | null> {
  const file = await realpath(join(top, path)).catch(() => null);
  if (file === null || file !== join(top, path)) return null;
  const facts = await stat(file);
  return facts.isFile() && facts.size <= most ? readFile(file) : null;
}

/**
 * The tree of a revision.
 *
 * @throws GitFailed when the folder is not a repository or the revision does not exist
 */
export async function gitTree(cwd: string, revision: string): Promise<Tree> {
  const commit = await gitText(cwd, ["rev-parse", "--verify", "--end-of-options", `${revision}^{commit}`]);
  // From the top of the clone, whichever of its folders was named.
  const list = async () => {
    const files = parseListing(await git(cwd, ["ls-tree", "-r", "-z", "-l", "--full-tree", commit]));
    return { files, incomplete: null };
  };
  return { commit, list, texts: (files) => texts(cwd, files) };
}

/** `MODE blob HASH SIZE\tPATH` and a NUL each. Links (120000) and submodules are not files. */
function parseListing(listing: Buffer): TreeFile[] {
  const files: TreeFile[] = [];
  for (const entry of listing.toString("utf8").split("\0")) {
    const tab = entry.indexOf("\t");
    const [mode, type, hash, size] = entry.slice(0, tab).split(/ +/);
    if (tab === -1 || type !== "blob" || mode === "120000" || hash === undefined) continue;
    files.push({ path: entry.slice(tab + 1), hash, bytes: Number(size) });
  }
  return files;
}

async function* texts(
  cwd: string,
  files: readonly TreeFile[],
): AsyncGenerator<{ readonly file: TreeFile; readonly text: string | null }> {
  const blobs = blobReader(cwd);
  try {
    for (const file of files) yield { file, text: textOf(await blobs.read(file.hash)) };
  } finally {
    blobs.close();
  }
}
