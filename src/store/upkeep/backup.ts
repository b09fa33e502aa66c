// Creates and verifies backups: consistent copies with a manifest. Works beside a running server.
import { createHash } from "node:crypto";
import {
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import BetterSqlite from "better-sqlite3";
import { z } from "zod";
import { StoreUnusable } from "../../domain/errors.ts";
import { snapshot, syncToDisk } from "./snapshot.ts";
import { checkFile, STORE_FILES, schemaVersion } from "./store-files.ts";
import { TOMBSTONES } from "./tombstones.ts";

const MANIFEST = "manifest.json";
const Manifest = z.object({
  version: z.literal(1),
  /** Epoch milliseconds of the start of the copy. */
  at: z.int(),
  files: z.array(
    z.object({
      name: z.enum(["queue.db", "memory.db"]),
      schema: z.int().positive(),
      bytes: z.int().positive(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});
type Manifest = z.infer<typeof Manifest>;

/**
 * Copies the store in `dataDir` into `to`, which appears only after every copy was verified.
 *
 * @param now epoch milliseconds
 * @throws StoreUnusable when there is no store, it is damaged, or `to` is not empty
 */
export async function backUpStore(dataDir: string, to: string, now: number): Promise<Manifest> {
  const target = resolve(to);
  if (existsSync(target) && readdirSync(target).length > 0) throw new StoreUnusable(`${to} is not empty`);
  if (!existsSync(join(dataDir, "queue.db"))) throw new StoreUnusable(`there is no store in ${dataDir}`);
  const partial = `${target}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true, mode: 0o700 });
  try {
    const files: Manifest["files"] = [];
    for (const { name, part } of STORE_FILES) {
      if (!existsSync(join(dataDir, name))) continue;
      const copy = join(partial, name);
      const schema = copyOf(join(dataDir, name), copy, part.part);
      checkFile(copy, part);
      files.push({ name, schema, bytes: statSync(copy).size, sha256: await hashOf(copy) });
    }
    if (existsSync(join(dataDir, TOMBSTONES))) copyFileSync(join(dataDir, TOMBSTONES), join(partial, TOMBSTONES));
    const manifest: Manifest = { version: 1, at: now, files };
    writeFileSync(join(partial, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    syncToDisk(join(partial, MANIFEST));
    rmSync(target, { recursive: true, force: true });
    renameSync(partial, target);
    syncToDisk(dirname(target));
    return manifest;
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

function copyOf(from: string, to: string, part: string): number {
  const db = new BetterSqlite(from, { fileMustExist: true, timeout: 5_000 });
  try {
    snapshot(db, to);
    return schemaVersion(db, part);
  } catch (error) {
    throw new StoreUnusable(`${from} cannot be copied: ${String(error)}`, { cause: error });
  } finally {
    db.close();
  }
}

/**
 * Verifies a backup's files by size, hash and structure; returns its manifest.
 *
 * @throws StoreUnusable that names the bad file
 */
export async function verifiedBackup(folder: string): Promise<Manifest> {
  const manifest = readManifest(folder);
  for (const { name, bytes, sha256 } of manifest.files) {
    const path = join(folder, name);
    if (!existsSync(path)) throw new StoreUnusable(`${path} is missing`);
    if (statSync(path).size !== bytes || (await hashOf(path)) !== sha256) {
      throw new StoreUnusable(`${path} is not what was backed up: its size or SHA-256 differs from the manifest`);
    }
    // Opening writes beside the file, and a backup may be on a read-only disk.
  }
  return manifest;
}

function readManifest(folder: string): Manifest {
  try {
    return Manifest.parse(JSON.parse(readFileSync(join(folder, MANIFEST), "utf8")));
  } catch (cause) {
    throw new StoreUnusable(`${folder} is no backup of Kodiai: it has no ${MANIFEST} that can be read`, { cause });
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
