// Restores a backup into a folder without a store. Later erasures are repeated before anything can
// read the data, and the restore is recorded: GitHub may have newer posts.
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { StoreUnusable } from "../../domain/errors.ts";
import { type ForgetJob, type Repo, upkeepKey } from "../../domain/job.ts";
import { repoKey } from "../../domain/memory.ts";
import type { AnyJob } from "../../ports.ts";
import { storedTraces } from "../forget-repository.ts";
import { openMemoryFile, reclaimFile } from "../memory/memory-file.ts";
import { storedLabels } from "../memory/repositories.ts";
import { storedMemory } from "../memory/stored-memory.ts";
import { openQueueFile } from "../queue/clock.ts";
import { storedMoments } from "../queue/moments.ts";
import { storedQueue } from "../queue/queue.ts";
import { verifiedBackup } from "./backup.ts";
import { anonymise, findPerson, type StoreDatabases } from "./people.ts";
import { syncToDisk } from "./snapshot.ts";
import { checkFile, STORE_FILES } from "./store-files.ts";
import { appendTombstone, type Tombstone, tombstonesIn } from "./tombstones.ts";

/**
 * @param now epoch milliseconds
 * @returns also the tombstones newer than the backup, and how many repositories the server looks up
 *   on GitHub when it starts
 * @throws StoreUnusable when the backup is damaged or newer, or `dataDir` holds a store
 */
export async function restoreStore(from: string, dataDir: string, now: number) {
  refuseOver(dataDir);
  const manifest = await verifiedBackup(from);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const waiting = join(dataDir, "restoring");
  rmSync(waiting, { recursive: true, force: true });
  mkdirSync(waiting, { mode: 0o700 });
  try {
    for (const { name, part } of STORE_FILES) {
      if (!manifest.files.some((file) => file.name === name)) continue;
      copyFileSync(join(from, name), join(waiting, name));
      checkFile(join(waiting, name), part);
    }
    const known = tombstonesIn(dataDir);
    const all = [...known, ...tombstonesIn(from)];
    const forgotten = all.filter(({ at }) => at >= manifest.at);
    const uncertain = await settle(waiting, forgotten, now);
    // Keep tombstones that only the backup has.
    const here = new Set(known.map((one) => JSON.stringify(one)));
    for (const one of all) if (!here.has(JSON.stringify(one))) appendTombstone(dataDir, one);
    moveIn(waiting, dataDir);
    return { manifest, forgotten, uncertain };
  } finally {
    rmSync(waiting, { recursive: true, force: true });
  }
}

function refuseOver(dataDir: string): void {
  const names = STORE_FILES.flatMap(({ name }) => [name, `${name}-wal`]);
  const there = names.filter((name) => existsSync(join(dataDir, name)));
  if (there.length === 0) return;
  throw new StoreUnusable(
    `${dataDir} holds a store (${there.join(", ")}), and a restore never overwrites one. Stop Kodiai and move queue.db*, memory.db* away; leave forgotten.jsonl in place.`,
  );
}

/** Migrates the copies, repeats erasures, and enqueues a check of every repository. */
async function settle(folder: string, forgotten: readonly Tombstone[], now: number): Promise<number> {
  const queue = await openQueueFile(join(folder, "queue.db"));
  const memory = existsSync(join(folder, "memory.db")) ? await openMemoryFile(join(folder, "memory.db")) : null;
  try {
    for (const one of forgotten) await forgetAgain(one, { queue, memory });
    await storedMoments(queue).set("restored", now);
    const uncertain = await doubtful({ queue, memory });
    const jobs = storedQueue(queue);
    for (const job of uncertain) await jobs.add(job, now);
    return uncertain.length;
  } finally {
    // Closing the last connection copies the log into the file and removes it.
    await queue.close();
    await memory?.close();
  }
}

async function forgetAgain(one: Tombstone, { queue, memory }: StoreDatabases): Promise<void> {
  const remembered = memory === null ? null : storedMemory(memory, () => reclaimFile(memory));
  if (one.forgot === "person") {
    const person = await findPerson({ ids: new Set(one.ids), loginHashes: new Set(one.logins) }, { queue, memory });
    await anonymise(person, one.texts, { queue, memory }, async (repo, ids) => remembered?.forget(repo, ids) ?? 0);
    return;
  }
  const at = one.key.lastIndexOf("/");
  const repo = { host: one.key.slice(0, at), id: Number(one.key.slice(at + 1)) };
  await storedTraces(queue, () => reclaimFile(queue)).forgetRepository(repo);
  await remembered?.forgetRepository(one.key);
}

/** They may have been deleted since without a tombstone: removed once GitHub confirms it. */
async function doubtful({ queue, memory }: StoreDatabases): Promise<readonly ForgetJob[]> {
  const known = new Map<string, { readonly repo: Repo; readonly installationId: number }>();
  for (const repo of memory === null ? [] : await storedLabels(memory).all())
    if (repo.host !== "local" && repo.host !== "eval") known.set(repoKey(repo), { repo, installationId: 0 });
  // The latest job of each repository has its latest name.
  for (const { job } of await queue.all<{ job: string }>("SELECT job FROM jobs ORDER BY id")) {
    const { repo, installationId } = JSON.parse(job) as AnyJob;
    if (repo.name !== "") known.set(repoKey(repo), { repo, installationId });
  }
  return [...known.values()].map((one) => {
    const key = upkeepKey(one.repo, "forget");
    return { kind: "forget", key, delivery: "restore", trigger: "restored", asked: 0, notBefore: null, ...one };
  });
}

function moveIn(from: string, to: string): void {
  for (const { name } of STORE_FILES) {
    if (!existsSync(join(from, name))) continue;
    syncToDisk(join(from, name));
    renameSync(join(from, name), join(to, name));
  }
  syncToDisk(to);
}
