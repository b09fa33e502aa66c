// The files of a head on GitHub: its tree lists blobs, an archive brings most, and what it lacks or
// alters (`export-ignore`, `export-subst`) is requested. Cached blobs are not read.
import pMap from "p-map";
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
  /** Called when blobs may have been added. */
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
        return await read(options, repo, pull, signal).finally(options.trim);
      } catch (error) {
        const why = signal.aborted ? `it could not be read within ${ms / 1_000} s` : reasonOf(error);
        return { snapshot: null, degraded: [degraded(`files around the change were not read: ${why}`)] };
      }
    },
  };
}

interface HeadPlace {
  readonly owner: string;
  readonly repo: string;
  readonly sha: string;
}

async function read(
  options: SnapshotOptions,
  repo: Repo,
  pull: PullRequest,
  signal: AbortSignal,
): ReturnType<Snapshots["at"]> {
  const { github, blobs, limits = SNAPSHOT_LIMITS } = options;
  const place = { ...placeOf(repo), sha: pull.head.sha };
  const tree = await treeOf(github, place, signal);
  checkSize(tree.files, limits);
  const small = tree.files.filter(({ bytes }) => bytes <= limits.fileBytes);
  const known = new Map(await blobs.known());
  const missing = new Set(small.map(({ blob }) => blob).filter((sha) => !known.has(sha)));
  const keep = async (sha: string, bytes: Buffer) => {
    if (!(await blobs.keep(sha, bytes)))
      throw new NoSnapshot("there is no room for them on the disk of the data folder");
    known.set(sha, !isBinary(bytes));
    missing.delete(sha);
  };

  if (missing.size > limits.blobs) {
    const packed = await archiveOf(options, place, signal);
    await readArchive(packed, limits, signal, tree.isLink, async (bytes) => {
      for (const one of [bytes, withoutCarriageReturns(bytes)]) {
        const sha = one === null ? "" : blobSha(one);
        if (one !== null && missing.has(sha)) await keep(sha, one);
      }
    });
  }
  const ask = async (sha: string) => {
    const bytes = await blobOf(github, place, sha, signal).catch(() => null);
    if (bytes !== null) await keep(sha, bytes);
  };
  await pMap([...missing].slice(0, limits.blobs), ask, { concurrency: AT_ONCE });

  const files = new Map(small.filter(({ blob }) => !missing.has(blob)).map((file) => [file.path, file]));
  const unread = small.length - files.size;
  const reasons: string[] = [];
  if (!tree.isWhole) reasons.push(`GitHub lists only ${tree.files.length} files of the head; the others were not read`);
  if (unread > 0)
    reasons.push(
      `${unread} of ${small.length} files around the change were not read: the archive of the head lacks or alters them`,
    );
  const text = textReader(options, place, files, known);
  return { snapshot: { sha: place.sha, files, text }, degraded: reasons.map(degraded) };
}

/** Requests a blob that is no longer cached, or damaged, once more; so many at most. */
function textReader(
  { github, blobs, limits = SNAPSHOT_LIMITS }: SnapshotOptions,
  asked: HeadPlace,
  files: ReadonlyMap<string, SnapshotFile>,
  known: ReadonlyMap<string, boolean>,
): Snapshot["text"] {
  let left = limits.blobs;
  const again = new Map<string, string>();
  return async (path) => {
    const sha = files.get(path)?.blob;
    if (sha === undefined || known.get(sha) !== true) return null;
    const cached = await blobs.read(sha);
    const text = cached?.toString("utf8") ?? again.get(sha);
    if (text !== undefined) return text;
    if (left === 0) return null;
    left -= 1;
    const bytes = await blobOf(github, asked, sha, AbortSignal.timeout(LATER_MS)).catch(() => null);
    if (bytes === null) return null;
    again.set(sha, bytes.toString("utf8"));
    return again.get(sha) ?? null;
  };
}

async function treeOf(github: GitHub, { owner, repo, sha }: HeadPlace, signal: AbortSignal) {
  const question = { owner, repo, tree_sha: sha, recursive: "1", request: { signal } };
  const { data } = await translated(() => github.rest.git.getTree(question));
  const links = new Set(data.tree.flatMap(({ path, mode }) => (mode === "120000" ? [path] : [])));
  const files = data.tree.flatMap(({ path, mode, type, sha: blob, size }): SnapshotFile[] =>
    type === "blob" && mode !== "120000" ? [{ path, blob, bytes: size ?? 0 }] : [],
  );
  return { files, isLink: (path: string) => data.truncated || links.has(path), isWhole: !data.truncated };
}

/**
 * GitHub answers with the archive's address, whose query contains a token: the redirect is followed
 * by hand, without our own token, and the address appears in no message.
 */
async function archiveOf(
  { github, archives }: SnapshotOptions,
  { owner, repo, sha }: HeadPlace,
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

/** Null if GitHub's answer does not match the SHA. */
async function blobOf(
  github: GitHub,
  { owner, repo }: HeadPlace,
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
