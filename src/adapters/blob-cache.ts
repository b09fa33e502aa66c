// Cached blobs of repositories by their git SHA. One that does not match its SHA is missing.
import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import BetterSqlite from "better-sqlite3";
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
   * @returns false when the cache, or the disk, has no room for it
   * @throws Error when the disk is full or cannot be written
   */
  keep(sha: string, bytes: Buffer): Promise<boolean>;
}

export interface BlobCache {
  of(repo: RepoId): Blobs;
  /** Removes what is too old, and the least recently used; returns how many repositories. */
  expire(now: number): Promise<number>;
  /** Writes what was kept, also for other processes; removes the least recently used. */
  trim(): Promise<void>;
  /** Removes all blobs of a repository. */
  forget(repo: RepoId): Promise<void>;
  clear(): Promise<void>;
}

type RepoId = Pick<Repo, "host" | "id">;

/** Bytes on the disk. */
const MOST_BYTES = 1 << 30;
/** One repository's part: more than a snapshot has, so that none displaces itself. */
const SHARE = 0.25;
/** The share that remains after trimming. */
const LEFT = 0.9;
/** Free space that is left to the queue: a part of the disk, and at most so many bytes. */
const FREE_PART = 0.1;
const MOST_FREE = 1 << 29;
/** Bytes written together, at most; each time, what others wrote is counted again. */
const WRITE_BYTES = 1 << 20;
/** A page of SQLite, and what the row of a blob takes beside its content. */
const PAGE = 4_096;
const ROW = 100;
/** How long a write waits for another process's, milliseconds. */
const LOCK_MS = 1_000;
/** `HOST/ID` as a name; a folder with another name is not ours. */
const REPOSITORY = /%2F\d+$/;
/** Named for when it was made, in milliseconds: as old as its oldest blob. */
const FILE = /^(\d{13})\.db(?:-journal)?$/;
/** The disk, or a process that writes for long. Any other error of SQLite means damage. */
const NOT_DAMAGE = /^SQLITE_(?:BUSY|FULL|IOERR|CANTOPEN|NOMEM)/;

/** The SHA by which git knows a blob: SHA-1 of 40 digits, or SHA-256 of 64. */
export function blobSha(bytes: Uint8Array, digits = 40): string {
  const hash = createHash(digits === 64 ? "sha256" : "sha1");
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

export function isBinary(bytes: Uint8Array): boolean {
  return bytes.includes(0);
}

/**
 * Blobs below `snapshots` in the data folder: a folder for each repository, with one SQLite file
 * that only its owner can read. Processes may share the folder. A damaged file is removed.
 *
 * @param mostBytes other than the documented bound in tests
 */
export function blobCache(dataDir: string, mostBytes: number = MOST_BYTES): BlobCache {
  const folder = join(dataDir, "snapshots");
  const share = mostBytes * SHARE;
  const writeBytes = Math.min(WRITE_BYTES, mostBytes / 16);
  const opened = new Map<string, BlobFile>();
  const folderOf = ({ host, id }: RepoId) => join(folder, encodeURIComponent(`${host}/${id}`));

  function fileOf(own: string): BlobFile {
    const known = opened.get(own);
    if (known !== undefined && existsSync(known.path)) return known;
    close(own);
    const path = heldIn(own)?.path ?? join(own, `${Date.now()}.db`);
    mkdirSync(own, { recursive: true, mode: 0o700 });
    const file = openBlobs(path, writeBytes, () => Math.min(share, evict().most));
    opened.set(own, file);
    return file;
  }

  function close(own: string): void {
    opened.get(own)?.close();
    opened.delete(own);
  }

  function remove(own: string): void {
    close(own);
    rmSync(own, { recursive: true, force: true });
  }

  /** @returns null when the file is damaged */
  function using<T>(own: string, work: (file: BlobFile) => T): T | null {
    try {
      return work(fileOf(own));
    } catch (error) {
      if (!(error instanceof BetterSqlite.SqliteError)) throw error;
      if (NOT_DAMAGE.test(error.code)) {
        close(own);
        throw Object.assign(error, { syscall: "write" });
      }
      remove(own);
      return null;
    }
  }

  function allHeld(): readonly Held[] {
    return names(folder).flatMap((name) => (REPOSITORY.test(name) ? (heldIn(join(folder, name)) ?? []) : []));
  }

  /** Removes repositories until the others have what the cache and the disk allow. */
  function evict(): { readonly removed: number; readonly most: number } {
    const held = allHeld().toSorted((a, b) => b.usedAt - a.usedAt);
    let bytes = held.reduce((sum, one) => sum + one.bytes, 0);
    const most = Math.min(mostBytes, diskRoom(folder, bytes));
    const left = bytes > most ? most * LEFT : most;
    let removed = 0;
    for (let last = held.pop(); last !== undefined && bytes > left; last = held.pop()) {
      remove(last.own);
      bytes -= last.bytes;
      removed += 1;
    }
    return { removed, most };
  }

  function trim(): number {
    for (const own of opened.keys()) {
      using(own, (file) => file.finish(share));
      close(own);
    }
    return evict().removed;
  }

  return {
    of(repo) {
      const own = folderOf(repo);
      return {
        known: async () => using(own, (file) => file.known()) ?? new Map(),
        async read(sha) {
          const bytes = using(own, (file) => file.read(sha));
          if (bytes === null || blobSha(bytes, sha.length) === sha) return bytes;
          remove(own);
          return null;
        },
        keep: async (sha, bytes) => using(own, (file) => file.add(sha, isBinary(bytes) ? null : bytes)) ?? false,
      };
    },
    async expire(now) {
      const trimmed = trim();
      const old = allHeld().filter(({ keptAt }) => keptAt < now - BLOB_DAYS * DAY_MS);
      for (const { own } of old) remove(own);
      return old.length + trimmed;
    },
    async trim() {
      trim();
    },
    forget: async (repo) => remove(folderOf(repo)),
    async clear() {
      for (const name of names(folder)) if (REPOSITORY.test(name)) remove(join(folder, name));
    },
  };
}

/** Blobs of one repository, for the life of the process. */
export function blobsInMemory(): Blobs {
  const held = new Map<string, Buffer | null>();
  return {
    known: async () => new Map([...held].map(([sha, bytes]) => [sha, bytes !== null])),
    read: async (sha) => held.get(sha) ?? null,
    async keep(sha, bytes) {
      held.set(sha, isBinary(bytes) ? null : bytes);
      return true;
    },
  };
}

type BlobFile = ReturnType<typeof openBlobs>;

/**
 * The file of one repository. What is added waits in memory until it is written.
 *
 * @param writeBytes as many are written together
 * @param roomOf bytes that may be added since the file was opened; called before more is added
 */
function openBlobs(path: string, writeBytes: number, roomOf: () => number) {
  closeSync(openSync(path, "a", 0o600));
  const db = new BetterSqlite(path, { timeout: LOCK_MS });
  try {
    // What was deleted leaves the disk. A write need not outlive a crash of the machine.
    db.exec(`PRAGMA auto_vacuum = FULL; PRAGMA synchronous = OFF;
      CREATE TABLE IF NOT EXISTS blobs (sha BLOB NOT NULL, is_text INTEGER NOT NULL, bytes BLOB);
      CREATE UNIQUE INDEX IF NOT EXISTS by_sha ON blobs (sha, is_text)`);
  } catch (error) {
    db.close();
    throw error;
  }
  const insert = db.prepare("INSERT OR IGNORE INTO blobs VALUES (?, ?, ?)");
  const list = db.prepare("SELECT lower(hex(sha)), is_text = 1 FROM blobs").raw();
  const select = db.prepare("SELECT bytes FROM blobs WHERE sha = ?").pluck();
  const size = () => Math.max(statSync(path).size, PAGE);
  const before = size();
  const waiting = new Map<string, Buffer | null>();
  let waitingBytes = 0;
  let room: number | null = null;

  const insertAll = db.transaction(() => {
    for (const [sha, text] of waiting) insert.run(Buffer.from(sha, "hex"), text === null ? 0 : 1, text);
  });

  function write(): void {
    if (waiting.size > 0) insertAll();
    waiting.clear();
    waitingBytes = 0;
  }

  return {
    path,
    close: () => void db.close(),
    /** @returns false when there is no room */
    add(sha: string, text: Buffer | null): boolean {
      if (waiting.has(sha)) return true;
      if (waitingBytes >= writeBytes) {
        write();
        room = null;
      }
      room ??= roomOf();
      const bytes = text === null ? ROW : text.length + Math.min(text.length, PAGE) + ROW;
      if (size() - before + waitingBytes + bytes > room) return false;
      waiting.set(sha, text);
      waitingBytes += bytes;
      return true;
    },
    /** Reading counts as use. */
    known(): ReadonlyMap<string, boolean> {
      write();
      const now = new Date();
      utimesSync(path, now, now);
      return new Map((list.all() as [string, number][]).map(([sha, isText]) => [sha, isText === 1]));
    },
    read(sha: string): Buffer | null {
      const bytes = waiting.get(sha) ?? select.get(Buffer.from(sha, "hex"));
      return Buffer.isBuffer(bytes) ? bytes : null;
    },
    /** Writes what waits, and deletes the oldest blobs until the file is not larger than `most`. */
    finish(most: number): void {
      write();
      const over = size() - most;
      if (over <= 0) return;
      const sums = `SELECT rowid AS id, sum(coalesce(length(bytes), 0) + ${ROW}) OVER (ORDER BY rowid) AS up_to FROM blobs`;
      db.prepare(`DELETE FROM blobs WHERE rowid <= (SELECT min(id) FROM (${sums}) WHERE up_to >= ?)`).run(over);
    },
  };
}

interface Held {
  readonly own: string;
  readonly path: string;
  /** On the disk. */
  readonly bytes: number;
  /** The last use, and when the oldest blob was kept: epoch milliseconds. */
  readonly usedAt: number;
  readonly keptAt: number;
}

/** Removes a folder with other files, or none: earlier versions had a file for each blob. */
function heldIn(own: string): Held | null {
  const found = names(own);
  const name = found.find((one) => one.endsWith(".db"));
  if (name === undefined || !found.every((one) => FILE.test(one))) {
    rmSync(own, { recursive: true, force: true });
    return null;
  }
  const all = [own, ...found.map((one) => join(own, one))].flatMap(
    (one) => statSync(one, { throwIfNoEntry: false }) ?? [],
  );
  const bytes = all.reduce((sum, { size, blocks }) => sum + Math.max(size, blocks * 512), 0);
  const path = join(own, name);
  const usedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return { own, path, bytes, usedAt, keptAt: Number(FILE.exec(name)?.[1]) };
}

/** What a cache of so many bytes may have on this disk, bytes. */
function diskRoom(folder: string, bytes: number): number {
  if (!existsSync(folder)) return bytes;
  const { bavail, blocks, bsize } = statfsSync(folder);
  return Math.max(0, bytes + bavail * bsize - Math.min(MOST_FREE, FREE_PART * blocks * bsize));
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
