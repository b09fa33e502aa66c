// Blobs of repositories by their git SHA, cached for the next snapshot. A blob whose content does not match its SHA counts as missing.
import { createHash, randomBytes } from "node:crypto";
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  statfs,
  utimes,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Repo } from "../domain/job.ts";
import { oneAtATime } from "../domain/one-at-a-time.ts";
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
  /** Removes blobs that are too old, then the least recently used until the rest fits. @returns the number of files removed */
  expire(now: number): Promise<number>;
  /** Writes what was kept to its end, for other processes too, and removes the least recently used until the rest fits. */
  trim(): Promise<void>;
  /** Removes all blobs of a repository. */
  forget(repo: RepoId): Promise<void>;
  /** Removes all blobs. */
  clear(): Promise<void>;
}

type RepoId = Pick<Repo, "host" | "id">;

/** Bytes on the disk. */
const MOST_BYTES = 1 << 30;
/** Of these, one repository's: more than a snapshot has (see SNAPSHOT_LIMITS), so that one never displaces itself. */
const SHARE = 0.25;
/** The share that remains after trimming. */
const LEFT = 0.9;
/** Free space that is left to the queue: a part of the disk, and at most so many bytes. */
const FREE_PART = 0.1;
const MOST_FREE = 1 << 29;
/** Bytes written at a time; after so many writes, what others wrote meanwhile is counted again. */
const WRITE_BYTES = 1 << 20;
const WRITES = 16;
/** A repository with so many packs smaller than this gets one instead of them. */
const MANY_PACKS = 8;
const SMALL_PACK = 8 << 20;
/** What the name of a file takes beside its content: a block. */
const BLOCK = 4_096;
/** What a process left half written is damaged after this; a snapshot takes half a minute. */
const PARTIAL_MS = 60 * 60_000;
/** `HOST/ID` as a name; a folder with another name is not ours. */
const REPOSITORY = /%2F\d+$/;
/** When its oldest blob was kept, in milliseconds, and a random part. A name with `~` is half written. */
const PACK = /^(\d{13})-[0-9a-f]{12}\.pack(~?)$/;
/** The end of a whole pack, after the length of its index in bytes and the index's SHA-256. */
const MAGIC = Buffer.from("kodiai-1");
const END_BYTES = 4 + 32 + MAGIC.length;

/** The SHA by which git knows a blob: SHA-1 of 40 digits, or SHA-256 of 64. */
export function blobSha(bytes: Uint8Array, digits = 40): string {
  const hash = createHash(digits === 64 ? "sha256" : "sha1");
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

export function isBinary(bytes: Uint8Array): boolean {
  return bytes.includes(0);
}

/**
 * Blobs below `snapshots` in the data folder: a folder for each repository, and in it a file ("pack") for each snapshot that added some,
 * readable by their owner only. Processes may share the folder.
 *
 * @param mostBytes other than the documented bound in tests
 */
export function blobCache(dataDir: string, mostBytes: number = MOST_BYTES): BlobCache {
  const folder = join(dataDir, "snapshots");
  const share = mostBytes * SHARE;
  const writeBytes = Math.min(WRITE_BYTES, mostBytes / WRITES);
  const repositories = new Map<string, ReturnType<typeof packsOf>>();
  const folderOf = ({ host, id }: RepoId) => join(folder, encodeURIComponent(`${host}/${id}`));
  const at = (own: string) => {
    const known = repositories.get(own) ?? packsOf(own, roomOf, writeBytes);
    repositories.set(own, known);
    return known;
  };

  /** Removes packs until each repository has its share, and all together what the cache and the disk allow. */
  async function evict(): Promise<{ readonly removed: number; readonly most: number }> {
    const held = await heldIn(folder);
    const most = Math.min(mostBytes, await diskRoom(folder, sumOf(held)));
    const own = Map.groupBy(held, ({ path }) => dirname(path)).values();
    const left = await Array.fromAsync(own, (packs) => fitted(packs, share, share));
    const last = await fitted(left.flat(), most, most * LEFT);
    return { removed: held.length - last.length, most };
  }

  /** Bytes for what a repository adds. */
  async function roomOf(): Promise<number> {
    return Math.min(share, (await evict()).most);
  }

  async function trim(): Promise<number> {
    for (const packs of repositories.values()) await packs.finish();
    const { removed } = await evict();
    await removeEmpty();
    return removed;
  }

  async function removeEmpty(): Promise<void> {
    for (const name of await names(folder)) await rmdir(join(folder, name)).catch(() => {});
  }

  return {
    of(repo) {
      const packs = at(folderOf(repo));
      let places: ReadonlyMap<string, Place> = new Map();
      return {
        async known() {
          places = await packs.places();
          return new Map([...places].map(([sha, { isText }]) => [sha, isText]));
        },
        async read(sha) {
          for (const again of [true, false]) {
            const place = places.get(sha);
            if (place?.isText === false) return null;
            const bytes = place === undefined ? null : await packs.read(place);
            if (bytes !== null && blobSha(bytes, sha.length) === sha) return bytes;
            // What is damaged is removed; what is not there may be in another pack now.
            if (bytes !== null && place !== undefined) await rm(place.pack.path, { force: true });
            if (again) places = await packs.places();
          }
          return null;
        },
        keep: (sha, bytes) => packs.keep(sha, isBinary(bytes) ? null : bytes),
      };
    },
    async expire(now) {
      const trimmed = await trim();
      const old = (await heldIn(folder)).filter(({ keptAt }) => keptAt < now - BLOB_DAYS * DAY_MS);
      for (const { path } of old) await rm(path, { force: true });
      await removeEmpty();
      return old.length + trimmed;
    },
    async trim() {
      await trim();
    },
    forget: (repo) => at(folderOf(repo)).forget(),
    async clear() {
      const own = (await names(folder)).filter((name) => REPOSITORY.test(name));
      await Promise.all(own.map((name) => at(join(folder, name)).forget()));
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

/** Where a blob is. The path of a pack changes when it is whole. */
interface Place {
  readonly pack: { path: string };
  readonly at: number;
  readonly size: number;
  readonly isText: boolean;
}

/** A pack that is being written. */
interface Opened {
  readonly pack: { path: string };
  readonly file: FileHandle;
  readonly places: Map<string, Place>;
  keptAt: number;
  /** Bytes of texts, and how many of them are still in memory. */
  bytes: number;
  waiting: Buffer[];
  waitingBytes: number;
  writes: number;
  room: number;
}

/**
 * The packs of one repository: texts one after the other, then the index that finds them.
 *
 * @param roomOf how many bytes a new pack may have
 */
function packsOf(own: string, roomOf: () => Promise<number>, writeBytes: number) {
  const inTurn = oneAtATime();
  let opened: Opened | null = null;

  async function begin(): Promise<Opened> {
    await mkdir(own, { recursive: true, mode: 0o700 });
    const room = await roomOf();
    // Making room may have removed the empty folder.
    await mkdir(own, { recursive: true, mode: 0o700 });
    const keptAt = Date.now();
    const path = packName(own, keptAt, "~");
    const file = await open(path, "wx", 0o600);
    return { pack: { path }, file, places: new Map(), keptAt, bytes: 0, waiting: [], waitingBytes: 0, writes: 0, room };
  }

  async function add(to: Opened, sha: string, text: Buffer | null): Promise<boolean> {
    if (to.places.has(sha)) return true;
    const size = text?.length ?? 0;
    if (to.bytes + size + indexBytes(to.places.size + 1) > to.room) return false;
    to.places.set(sha, { pack: to.pack, at: to.bytes, size, isText: text !== null });
    if (text === null) return true;
    to.bytes += size;
    to.waiting.push(text);
    to.waitingBytes += size;
    if (to.waitingBytes >= writeBytes) await write(to);
    return true;
  }

  async function write(to: Opened): Promise<void> {
    const texts = Buffer.concat(to.waiting);
    to.waiting = [];
    to.waitingBytes = 0;
    await to.file.writeFile(texts);
    to.writes += 1;
    if (to.writes % WRITES === 0) to.room = await roomOf();
  }

  async function close(): Promise<void> {
    const { file, pack } = opened ?? {};
    opened = null;
    await file?.close().catch(() => {});
    if (pack !== undefined) await rm(pack.path, { force: true });
  }

  /** Takes over the small packs, so that pushes of a few files each do not leave a file each. */
  async function absorb(to: Opened): Promise<readonly string[]> {
    const held = (await packsIn(own)).filter(({ isPartial, bytes }) => !isPartial && bytes <= SMALL_PACK);
    if (held.length < MANY_PACKS) return [];
    for (const { path, keptAt } of held) {
      const bytes = await readFile(path).catch(() => null);
      for (const [sha, { at, size, isText }] of bytes === null ? [] : ((await indexOf(path)) ?? []))
        await add(to, sha, isText ? (bytes?.subarray(at, at + size) ?? null) : null);
      to.keptAt = Math.min(to.keptAt, keptAt);
    }
    return held.map(({ path }) => path);
  }

  async function finish(): Promise<void> {
    if (opened === null) return;
    const one = opened;
    const absorbed = await absorb(one);
    one.waiting.push(indexFor(one.places));
    await write(one);
    const path = packName(own, one.keptAt, "");
    await rename(one.pack.path, path);
    one.pack.path = path;
    opened = null;
    await one.file.close();
    await Promise.all(absorbed.map((old) => rm(old, { force: true })));
  }

  /** A failed write leaves nothing behind. */
  const safely = <T>(work: () => Promise<T>): Promise<T> =>
    inTurn(async () => {
      try {
        return await work();
      } catch (error) {
        await close();
        throw error;
      }
    });

  return {
    keep: (sha: string, text: Buffer | null) =>
      safely(async () => {
        opened ??= await begin();
        return add(opened, sha, text);
      }),
    finish: () => safely(finish),
    forget: () =>
      inTurn(async () => {
        await close();
        await rm(own, { recursive: true, force: true });
      }),
    /** Reading counts as use. */
    places: () =>
      inTurn(async (): Promise<ReadonlyMap<string, Place>> => {
        const places = new Map<string, Place>();
        const now = new Date();
        for (const { path, isPartial } of await packsIn(own)) {
          if (isPartial) continue;
          await utimes(path, now, now).catch(() => {});
          const index = await indexOf(path);
          if (index === null) await rm(path, { force: true });
          for (const [sha, place] of index ?? []) places.set(sha, place);
        }
        for (const [sha, place] of opened?.places ?? []) places.set(sha, place);
        return places;
      }),
    /** Null when the pack is not there any more, or shorter than it was. */
    async read({ pack, at, size }: Place): Promise<Buffer | null> {
      if (pack === opened?.pack) await safely(async () => (opened === null ? undefined : write(opened)));
      return bytesOf(pack.path, at, size);
    },
  };
}

function packName(own: string, keptAt: number, end: "" | "~"): string {
  return join(own, `${keptAt}-${randomBytes(6).toString("hex")}.pack${end}`);
}

/** Bytes of an entry: kind, size of the text, SHA. Bit 0 of the kind: text; bit 1: a SHA-256. */
const ENTRY_BYTES = 1 + 4 + 20;
const LONG_ENTRY_BYTES = 1 + 4 + 32;

/** At most. */
function indexBytes(entries: number): number {
  return entries * LONG_ENTRY_BYTES + END_BYTES;
}

function indexFor(places: ReadonlyMap<string, Place>): Buffer {
  const entries = [...places].map(([sha, { size, isText }]) => {
    const entry = Buffer.alloc(sha.length === 64 ? LONG_ENTRY_BYTES : ENTRY_BYTES);
    entry.writeUInt8((isText ? 1 : 0) + (sha.length === 64 ? 2 : 0));
    entry.writeUInt32LE(size, 1);
    entry.write(sha, 5, "hex");
    return entry;
  });
  const index = Buffer.concat(entries);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(index.length);
  return Buffer.concat([index, length, createHash("sha256").update(index).digest(), MAGIC]);
}

/** The blobs of a pack by their SHA; null when it is not whole. */
async function indexOf(path: string): Promise<ReadonlyMap<string, Place> | null> {
  const bytes = (await stat(path).catch(() => null))?.size ?? 0;
  const end = bytes < END_BYTES ? null : await bytesOf(path, bytes - END_BYTES, END_BYTES);
  if (end === null || !end.subarray(36).equals(MAGIC)) return null;
  const length = end.readUInt32LE();
  const texts = bytes - END_BYTES - length;
  const index = texts < 0 ? null : await bytesOf(path, texts, length);
  if (index === null || !createHash("sha256").update(index).digest().equals(end.subarray(4, 36))) return null;
  const places = new Map<string, Place>();
  const pack = { path };
  let at = 0;
  for (let from = 0; from < length; ) {
    const kind = index.readUInt8(from);
    const to = from + (kind >= 2 ? LONG_ENTRY_BYTES : ENTRY_BYTES);
    const size = index.readUInt32LE(from + 1);
    places.set(index.toString("hex", from + 5, to), { pack, at, size, isText: kind % 2 === 1 });
    at += size;
    from = to;
  }
  return at === texts ? places : null;
}

async function bytesOf(path: string, at: number, size: number): Promise<Buffer | null> {
  try {
    await using file = await open(path, "r");
    const { bytesRead, buffer } = await file.read(Buffer.alloc(size), 0, size, at);
    return bytesRead === size ? buffer : null;
  } catch {
    return null;
  }
}

interface HeldPack {
  readonly path: string;
  /** On the disk. */
  readonly bytes: number;
  /** The last use, and when the oldest blob was kept: epoch milliseconds. */
  readonly usedAt: number;
  readonly keptAt: number;
  readonly isPartial: boolean;
}

function sumOf(packs: readonly HeldPack[]): number {
  return packs.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Above a limit removes the least recently used packs. @returns the others */
async function fitted(packs: readonly HeldPack[], above: number, to: number): Promise<readonly HeldPack[]> {
  let bytes = sumOf(packs);
  if (bytes <= above) return packs;
  const left: HeldPack[] = [];
  for (const pack of packs.toSorted((a, b) => a.usedAt - b.usedAt || a.keptAt - b.keptAt)) {
    if (bytes <= to || pack.isPartial) left.push(pack);
    else {
      await rm(pack.path, { force: true });
      bytes -= pack.bytes;
    }
  }
  return left;
}

/** What a cache of so many bytes may have on this disk, bytes. */
async function diskRoom(folder: string, bytes: number): Promise<number> {
  const disk = await statfs(folder).catch(() => null);
  if (disk === null) return Number.POSITIVE_INFINITY;
  const { bavail, blocks, bsize } = disk;
  return Math.max(0, bytes + bavail * bsize - Math.min(MOST_FREE, FREE_PART * blocks * bsize));
}

async function heldIn(folder: string): Promise<HeldPack[]> {
  const held: HeldPack[] = [];
  for (const name of await names(folder)) if (REPOSITORY.test(name)) held.push(...(await packsIn(join(folder, name))));
  return held;
}

/** A folder with other files is of an earlier version, which had a file for each blob: it is removed. */
async function packsIn(own: string): Promise<HeldPack[]> {
  const held: HeldPack[] = [];
  const found = await names(own);
  if (found.some((name) => !PACK.test(name))) await rm(own, { recursive: true, force: true });
  for (const name of found) {
    const [, kept = "", half] = PACK.exec(name) ?? [];
    const path = join(own, name);
    const facts = await stat(path).catch(() => null);
    if (facts === null) continue;
    const bytes = Math.max(facts.size, facts.blocks * 512) + BLOCK;
    const usedAt = facts.mtimeMs;
    held.push({
      path,
      bytes,
      usedAt,
      keptAt: Math.min(Number(kept), usedAt),
      isPartial: half === "~" && usedAt > Date.now() - PARTIAL_MS,
    });
  }
  return held;
}

async function names(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}
