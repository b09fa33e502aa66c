// The files of a head on GitHub: its tree lists the blobs, an archive brings most of them, and those that the archive lacks or
// alters (`export-ignore`, `export-subst`) are requested by SHA. Cached blobs are not read again.
import { Transient } from "../../../domain/errors.ts";
import type { Repo } from "../../../domain/job.ts";
import type { Degraded } from "../../../domain/omissions.ts";
import type { PullRequest } from "../../../domain/pull-request.ts";
import type { Snapshot, SnapshotFile, Snapshots } from "../../../ports/snapshot.ts";
import { type BlobCache, type Blobs, blobSha, isBinary } from "../../blob-cache.ts";
import { checkSize, NoSnapshot, SNAPSHOT_LIMITS, type SnapshotLimits } from "../../snapshot-limits.ts";
import type { GitHub } from "../clients.ts";
import type { GuardedFetch } from "../guarded-fetch.ts";
import { placeOf } from "../requests.ts";
import { translated } from "../translate-error.ts";
import { readArchive } from "./snapshot-archive.ts";

interface SnapshotOptions {
  /** With `contents: read` of the base repository, which also has the heads of its forks. */
  readonly github: GitHub;
  /** Reaches the hosts that serve archives, without a credential. */
  readonly archives: GuardedFetch;
  readonly blobs: Blobs;
  /** Called when blobs were added. */
  readonly trim?: BlobCache["trim"];
  /** Other than the documented ones in tests. */
  readonly limits?: SnapshotLimits;
}

/** Concurrent requests for blobs: GitHub allows 100, which others share. */
const AT_ONCE = 6;
/** Milliseconds for one blob that is read later. */
const LATER_MS = 10_000;

/** Snapshots of heads. Every failure becomes a reason. */
export function githubSnapshots(options: SnapshotOptions): Snapshots {
  return {
    async at(repo, pull) {
      const { ms } = options.limits ?? SNAPSHOT_LIMITS;
      const signal = AbortSignal.timeout(ms);
      try {
        return await read(options, repo, pull, signal);
      } catch (error) {
        const why = signal.aborted ? `it could not be read within ${ms / 1_000} s` : reasonOf(error);
        return { snapshot: null, degraded: [degraded(`files around the change were not read: ${why}`)] };
      }
    },
  };
}

interface Asked {
  readonly owner: string;
  readonly repo: string;
  readonly sha: string;
}

async function read(
  options: SnapshotOptions,
  repo: Repo,
  pull: PullRequest,
  signal: AbortSignal,
): Promise<{ snapshot: Snapshot; degraded: Degraded[] }> {
  const { github, blobs, limits = SNAPSHOT_LIMITS } = options;
  const asked = { ...placeOf(repo), sha: pull.head.sha };
  const tree = await treeOf(github, asked, signal);
  checkSize(tree.files, limits);
  const small = tree.files.filter(({ bytes }) => bytes <= limits.fileBytes);
  const known = new Map(await blobs.known());
  const missing = new Set(small.map(({ blob }) => blob).filter((sha) => !known.has(sha)));
  const had = missing.size;
  const keep = (sha: string, bytes: Buffer) => {
    blobs.keep(sha, bytes);
    known.set(sha, !isBinary(bytes));
    missing.delete(sha);
  };

  if (missing.size > limits.blobs) {
    const packed = await archiveOf(options, asked, signal);
    await readArchive(packed, limits, signal, tree.isLink, (bytes) => {
      for (const one of [bytes, withoutCarriageReturns(bytes)]) {
        const sha = one === null ? "" : blobSha(one);
        if (one !== null && missing.has(sha)) keep(sha, one);
      }
    });
  }
  await askForBlobs([...missing].slice(0, limits.blobs), (sha) => blobOf(github, asked, sha, signal), keep);
  if (missing.size < had) await options.trim?.();

  const files = small.filter(({ blob }) => !missing.has(blob));
  const unread = small
    .filter(({ blob }) => missing.has(blob))
    .map(({ path }) => ({ path, reason: "the archive of the head lacks or alters it, so it could not be read" }));
  const reasons = [
    tree.isWhole ? null : `GitHub lists only ${tree.files.length} files of the head; the others were not read`,
    unread.length === 0
      ? null
      : `${unread.length} of ${small.length} files around the change were not read: the archive of the head lacks or alters them`,
  ];
  const text = textReader(options, asked, known);
  return {
    snapshot: {
      sha: asked.sha,
      files: new Map(files.map((file) => [file.path, file])),
      unread,
      text: readBy(files, text),
    },
    degraded: reasons.flatMap((reason) => (reason === null ? [] : [degraded(reason)])),
  };
}

function readBy(files: readonly SnapshotFile[], text: (sha: string) => Promise<string | null>): Snapshot["text"] {
  const blobs = new Map(files.map(({ path, blob }) => [path, blob]));
  return async (path) => {
    const sha = blobs.get(path);
    return sha === undefined ? null : text(sha);
  };
}

/** A blob that is no longer cached, or damaged, is requested once more, a bounded number of times. */
function textReader(
  { github, blobs, limits = SNAPSHOT_LIMITS }: SnapshotOptions,
  asked: Asked,
  known: Map<string, boolean>,
): (sha: string) => Promise<string | null> {
  let left = limits.blobs;
  return async (sha) => {
    if (known.get(sha) !== true) return null;
    const cached = await blobs.read(sha);
    if (cached !== null) return cached.toString("utf8");
    if (left === 0) return null;
    left -= 1;
    const bytes = await blobOf(github, asked, sha, AbortSignal.timeout(LATER_MS)).catch(() => null);
    if (bytes === null) return null;
    blobs.keep(sha, bytes);
    return bytes.toString("utf8");
  };
}

interface ListedTree {
  readonly files: readonly SnapshotFile[];
  readonly isLink: (path: string) => boolean;
  /** False if GitHub truncated its list. */
  readonly isWhole: boolean;
}

async function treeOf(github: GitHub, { owner, repo, sha }: Asked, signal: AbortSignal): Promise<ListedTree> {
  const question = { owner, repo, tree_sha: sha, recursive: "1", request: { signal } };
  const { data } = await translated(() => github.rest.git.getTree(question));
  const links = new Set(data.tree.flatMap(({ path, mode }) => (mode === "120000" ? [path] : [])));
  const files = data.tree.flatMap(({ path, mode, type, sha: blob, size }): SnapshotFile[] =>
    type === "blob" && mode !== "120000" ? [{ path, blob, bytes: size ?? 0 }] : [],
  );
  return { files, isLink: (path) => data.truncated || links.has(path), isWhole: !data.truncated };
}

/**
 * GitHub answers with the archive's address, whose query contains a token: the redirect is followed by hand, without our own token,
 * and the address appears in no message.
 */
async function archiveOf(
  { github, archives }: SnapshotOptions,
  { owner, repo, sha }: Asked,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const request = { redirect: "manual" as const, signal };
  const { headers } = await translated(() =>
    github.request("GET /repos/{owner}/{repo}/tarball/{ref}", { owner, repo, ref: sha, request }),
  );
  const address = headers.location === undefined ? null : URL.parse(headers.location);
  if (address === null) throw new NoSnapshot("GitHub gives no address for the archive of the head");
  const answer = await archives(address, { redirect: "manual", signal }).catch((error: unknown) => {
    const isRefused = (error as { readonly code?: unknown }).code === "EGRESS_REFUSED";
    throw new NoSnapshot(
      isRefused ? "GitHub redirects to a host that serves no archives" : "the archive of the head could not be fetched",
    );
  });
  if (answer.status === 200 && answer.body !== null) return answer.body;
  await answer.body?.cancel();
  throw new NoSnapshot(`the archive of the head could not be fetched (${answer.status})`);
}

async function askForBlobs(
  shas: readonly string[],
  ask: (sha: string) => Promise<Buffer | null>,
  keep: (sha: string, bytes: Buffer) => void,
): Promise<void> {
  for (let at = 0; at < shas.length; at += AT_ONCE) {
    const portion = shas.slice(at, at + AT_ONCE);
    const answers = await Promise.all(portion.map((sha) => ask(sha).catch(() => null)));
    for (const [index, sha] of portion.entries()) {
      const bytes = answers[index];
      if (bytes) keep(sha, bytes);
    }
  }
}

/** Null if GitHub's answer does not match the SHA. */
async function blobOf(
  github: GitHub,
  { owner, repo }: Asked,
  sha: string,
  signal: AbortSignal,
): Promise<Buffer | null> {
  const question = { owner, repo, file_sha: sha, request: { signal } };
  const { data } = await translated(() => github.rest.git.getBlob(question));
  const bytes = Buffer.from(data.content, data.encoding === "base64" ? "base64" : "utf8");
  return blobSha(bytes, sha.length) === sha ? bytes : null;
}

/** `eol=crlf` in .gitattributes also applies to archives; null if there is nothing to undo. */
function withoutCarriageReturns(bytes: Buffer): Buffer | null {
  if (!bytes.includes("\r\n")) return null;
  return Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
}

function degraded(reason: string): Degraded {
  return { part: "snapshot", reason };
}

function reasonOf(error: unknown): string {
  if (error instanceof NoSnapshot) return error.message;
  if (error instanceof Transient) return "GitHub cannot answer now";
  const { status, syscall, code, name } = error as Record<string, unknown>;
  if (typeof status === "number") return `GitHub answered ${status}`;
  if (typeof syscall === "string") return `the data folder cannot be written (${code})`;
  return `it could not be read (${name})`;
}
