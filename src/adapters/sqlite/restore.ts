// A backup becomes the store of a folder that has none. What was forgotten since goes again before anybody can read it, and
// the store knows from then on that GitHub may show more than it remembers.
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Repo, type UpkeepJob, upkeepKey } from "../../domain/job.ts";
import { StoreUnusable } from "../../domain/store-unusable.ts";
import { type Manifest, verifiedBackup } from "./backup.ts";
import { type Database, openDatabase, write } from "./database.ts";
import { sqliteMemory } from "./memory.ts";
import { memoryProblems, openMemory } from "./memory-file.ts";
import { momentsOf } from "./moments.ts";
import { anonymisePeople } from "./person-erasure.ts";
import { QUEUE_MIGRATIONS } from "./queue-schema.ts";
import { sqliteLabels } from "./repository-label.ts";
import { syncToDisk } from "./snapshot.ts";
import { checkFile, STORE_FILES } from "./store-files.ts";
import { bury, type Tombstone, tombstonesIn } from "./tombstones.ts";
import { sqliteTraces } from "./traces.ts";

export interface Restored {
  readonly manifest: Manifest;
  /** Tombstones that are younger than the backup. */
  readonly forgotten: readonly Tombstone[];
  /** Repositories that GitHub is asked about, whether they are still there, when the server starts. */
  readonly doubted: number;
}

/**
 * @param now epoch milliseconds
 * @throws StoreUnusable when the backup is not sound, is of a newer Kodiai, or `dataDir` holds a store
 */
export async function restoreStore(from: string, dataDir: string, now: number): Promise<Restored> {
  refuseOver(dataDir);
  const manifest = await verifiedBackup(from);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const waiting = join(dataDir, "restoring");
  rmSync(waiting, { recursive: true, force: true });
  mkdirSync(waiting, { mode: 0o700 });
  try {
    for (const { name, migrations } of STORE_FILES) {
      if (!manifest.files.some((file) => file.name === name)) continue;
      copyFileSync(join(from, name), join(waiting, name));
      checkFile(join(waiting, name), migrations);
    }
    const known = tombstonesIn(dataDir);
    const told = [...known, ...tombstonesIn(from)];
    const forgotten = told.filter(({ at }) => at >= manifest.at);
    const doubted = await settle(waiting, forgotten, now);
    // Those that only the backup knew stay known.
    const here = new Set(known.map((one) => JSON.stringify(one)));
    for (const one of told) if (!here.has(JSON.stringify(one))) bury(dataDir, one);
    moveIn(waiting, dataDir);
    return { manifest, forgotten, doubted };
  } finally {
    rmSync(waiting, { recursive: true, force: true });
  }
}

function refuseOver(dataDir: string): void {
  const there = STORE_FILES.flatMap(({ name }) => [name, `${name}-wal`]).filter((name) =>
    existsSync(join(dataDir, name)),
  );
  if (there.length === 0) return;
  throw new StoreUnusable(
    `${dataDir} holds a store (${there.join(", ")}), and nothing is restored over one. Stop Kodiai and move queue.db*, memory.db* away; leave forgotten.jsonl where it is.`,
  );
}

/** Brings the copies up to date, forgets what was forgotten, and asks for a look at every repository. */
async function settle(folder: string, forgotten: readonly Tombstone[], now: number): Promise<number> {
  const queue = openDatabase(join(folder, "queue.db"), QUEUE_MIGRATIONS, false);
  const memory = existsSync(join(folder, "memory.db")) ? openMemory(join(folder, "memory.db"), null, false) : null;
  try {
    if (memory !== null) mendWords(memory);
    for (const one of forgotten) await forgetAgain(one, queue, memory);
    momentsOf(queue).set("restored", now);
    const doubted = await doubtful(queue, memory);
    write(queue, () => {
      const put = queue.prepare(
        "INSERT INTO jobs (key, lane, job, state, run_at, created_at) VALUES (?, 'upkeep', ?, 'waiting', ?, ?)",
      );
      for (const job of doubted) put.run(job.key, JSON.stringify(job), now, now);
    });
    return doubted.length;
  } finally {
    // The last to close copies the log into the file and removes it.
    queue.close();
    memory?.close();
  }
}

/** The index of words can be made anew from what is remembered; an index that lost words finds less, and says nothing. */
function mendWords(memory: Database.Database): void {
  if (memoryProblems(memory).length === 0) return;
  memory.prepare("INSERT INTO word_index (word_index) VALUES ('rebuild')").run();
  const [problem] = memoryProblems(memory);
  if (problem !== undefined)
    throw new StoreUnusable(`the backup's memory is damaged: ${problem}. Take an older backup.`);
}

async function forgetAgain(one: Tombstone, queue: Database.Database, memory: Database.Database | null): Promise<void> {
  if (one.forgot === "person") {
    await anonymisePeople({ ids: new Set(one.ids), loginHashes: new Set(one.logins) }, one.texts, queue, memory);
    return;
  }
  const at = one.key.lastIndexOf("/");
  await sqliteTraces(queue).forgetRepository({ host: one.key.slice(0, at), id: Number(one.key.slice(at + 1)) });
  if (memory !== null) await sqliteMemory(memory).forgetRepository(one.key);
}

/** Whatever was deleted or taken from us since the backup, and no tombstone tells: each is forgotten once GitHub confirms it. */
async function doubtful(queue: Database.Database, memory: Database.Database | null): Promise<readonly UpkeepJob[]> {
  const told = queue
    .prepare(
      `SELECT job FROM jobs WHERE id IN (SELECT max(id) FROM jobs GROUP BY json_extract(job, '$.repo.id'))
       AND json_extract(job, '$.repo.name') <> ''`,
    )
    .pluck()
    .all() as string[];
  const known = new Map<string, { readonly repo: Repo; readonly installationId: number }>();
  for (const repo of memory === null ? [] : await sqliteLabels(memory).all()) {
    if (repo.host !== "local" && repo.host !== "eval")
      known.set(`${repo.host}/${repo.id}`, { repo, installationId: 0 });
  }
  for (const text of told) {
    const { repo, installationId } = JSON.parse(text) as UpkeepJob;
    known.set(`${repo.host}/${repo.id}`, { repo, installationId });
  }
  return [...known.values()].map(({ repo, installationId }) => {
    return {
      kind: "forget",
      key: upkeepKey(repo, "forget"),
      delivery: "restore",
      installationId,
      repo,
      trigger: "restored",
    };
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
