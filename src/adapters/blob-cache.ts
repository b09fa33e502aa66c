// Blobs of repositories by their git SHA, cached for the next snapshot. A blob whose content does not match its SHA counts as missing.
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { readdir, readFile, rm, rmdir, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Repo } from "../domain/job.ts";
import { BLOB_DAYS, DAY_MS } from "./retention.ts";

/** The blobs of one repository. */
export interface Blobs {
  /** SHA → whether the blob is text; the bytes of a binary one are not stored. */
  known(): Promise<ReadonlyMap<string, boolean>>;
  /** The bytes of a text; null if it is missing or does not match its SHA. */
  read(sha: string): Promise<Buffer | null>;
  /**
   * @param sha checked by the caller
   * @throws Error when the disk is full or cannot be written
   */
  keep(sha: string, bytes: Buffer): void;
}

export interface BlobCache {
  of(repo: RepoId): Blobs;
  /** Removes blobs that are too old, then the least recently used until the rest fits. @returns the number removed */
  expire(now: number): Promise<number>;
  /** The second half of `expire`, once enough was added since. */
  trim(): Promise<void>;
  /** Removes all blobs of a repository. */
  forget(repo: RepoId): Promise<void>;
  /** Removes all blobs. */
  clear(): Promise<void>;
}

type RepoId = Pick<Repo, "host" | "id">;

/** Bytes. */
const MOST_BYTES = 1 << 30;
/** The share that remains after trimming. */
const LEFT = 0.9;
const BINARY = ".binary";
/** `HOST/ID` as a name; a folder with another name is not ours. */
const REPOSITORY = /%2F\d+$/;

/** The SHA by which git knows a blob: SHA-1 of 40 digits, or SHA-256 of 64. */
export function blobSha(bytes: Uint8Array, digits = 40): string {
  const hash = createHash(digits === 64 ? "sha256" : "sha1");
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

export function isBinary(bytes: Uint8Array): boolean {
  return bytes.includes(0);
}

/**
 * Blobs below `snapshots` in the data folder: a folder for each repository, a file for each blob, readable by their owner only.
 *
 * @param mostBytes other than the documented bound in tests
 */
export function blobCache(dataDir: string, mostBytes: number = MOST_BYTES): BlobCache {
  const folder = join(dataDir, "snapshots");
  // Null until the folder was first listed: until then nothing is removed for its size.
  let total: number | null = null;
  const folderOf = ({ host, id }: RepoId) => join(folder, encodeURIComponent(`${host}/${id}`));

  async function evict(): Promise<number> {
    const held = await heldIn(folder);
    total = held.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= mostBytes) return 0;
    let removed = 0;
    for (const blob of held.toSorted((a, b) => a.usedAt - b.usedAt || a.keptAt - b.keptAt)) {
      if (total <= mostBytes * LEFT) break;
      await remove(blob);
      total -= blob.bytes;
      removed += 1;
    }
    return removed;
  }

  return {
    of(repo) {
      const own = folderOf(repo);
      return {
        async known() {
          const now = new Date();
          // A read counts as use. The folder may not exist yet.
          await utimes(own, now, now).catch(() => {});
          const names = await readdir(own).catch(() => []);
          return new Map(names.filter((name) => !name.includes("~")).map(kindOf));
        },
        async read(sha) {
          const bytes = await readFile(join(own, sha)).catch(() => null);
          if (bytes === null || blobSha(bytes, sha.length) === sha) return bytes;
          await rm(join(own, sha), { force: true });
          return null;
        },
        keep(sha, bytes) {
          const text = isBinary(bytes) ? Buffer.alloc(0) : bytes;
          write(own, isBinary(bytes) ? sha + BINARY : sha, text);
          if (total !== null) total += text.length;
        },
      };
    },
    async expire(now) {
      let removed = 0;
      for (const blob of await heldIn(folder)) {
        if (blob.keptAt >= now - BLOB_DAYS * DAY_MS) continue;
        await remove(blob);
        removed += 1;
      }
      // rmdir removes only empty folders.
      for (const name of await readdir(folder).catch(() => [])) await rmdir(join(folder, name)).catch(() => {});
      return removed + (await evict());
    },
    async trim() {
      if (total !== null && total > mostBytes) await evict();
    },
    forget: (repo) => rm(folderOf(repo), { recursive: true, force: true }),
    async clear() {
      const own = (await readdir(folder).catch(() => [])).filter((name) => REPOSITORY.test(name));
      await Promise.all(own.map((name) => rm(join(folder, name), { recursive: true, force: true })));
    },
  };
}

/** Blobs of one repository, for the life of the process. */
export function blobsInMemory(): Blobs {
  const held = new Map<string, Buffer | null>();
  return {
    known: async () => new Map([...held].map(([sha, bytes]) => [sha, bytes !== null])),
    read: async (sha) => held.get(sha) ?? null,
    keep: (sha, bytes) => void held.set(sha, isBinary(bytes) ? null : bytes),
  };
}

function kindOf(name: string): [sha: string, isText: boolean] {
  return name.endsWith(BINARY) ? [name.slice(0, -BINARY.length), false] : [name, true];
}

/** Atomically, because a process may die in the middle. */
function write(folder: string, name: string, bytes: Buffer): void {
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const partial = join(folder, `${name}~${randomBytes(6).toString("hex")}`);
  try {
    writeFileSync(partial, bytes, { flag: "wx", mode: 0o600 });
    renameSync(partial, join(folder, name));
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

interface HeldBlob {
  readonly path: string;
  readonly bytes: number;
  /** The last use of its repository, and when the blob was written: epoch milliseconds. */
  readonly usedAt: number;
  readonly keptAt: number;
}

async function remove({ path, usedAt }: HeldBlob): Promise<void> {
  await rm(path, { force: true });
  // Removing one blob is not a use of the others.
  await utimes(dirname(path), usedAt / 1_000, usedAt / 1_000).catch(() => {});
}

async function heldIn(folder: string): Promise<HeldBlob[]> {
  const held: HeldBlob[] = [];
  for (const repository of await readdir(folder).catch(() => [])) {
    if (!REPOSITORY.test(repository)) continue;
    const usedAt = (await stat(join(folder, repository)).catch(() => null))?.mtimeMs ?? 0;
    for (const name of await readdir(join(folder, repository)).catch(() => [])) {
      const path = join(folder, repository, name);
      const facts = await stat(path).catch(() => null);
      if (facts !== null) held.push({ path, bytes: facts.size, usedAt, keptAt: facts.mtimeMs });
    }
  }
  return held;
}
