// Copies of a store while others write, and stores from such copies.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite from "better-sqlite3";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { StoreUnusable } from "../../../src/domain/errors.ts";
import { backUpStore, verifiedBackup } from "../../../src/store/upkeep/backup.ts";
import { restoreStore } from "../../../src/store/upkeep/restore.ts";
import { appendTombstone } from "../../../src/store/upkeep/tombstones.ts";
import { openStore } from "../../../src/wire/store.ts";
import { memoryRecord, SPACE, scopeOf, vectorAt } from "../../adapters/contracts/memory.ts";
import { reviewJob } from "../../adapters/contracts/queue.ts";

const ROUNDS = process.env.NIGHTLY === "1" ? 20 : 4;
if (process.env.NIGHTLY !== "1") console.warn(`skipped: ${20 - ROUNDS} of 20 backups under load; NIGHTLY=1 makes all`);

const root = mkdtempSync(join(tmpdir(), "kodiai-backup-"));
afterAll(() => rmSync(root, { recursive: true }));
let folders = 0;
let home: string;
let copy: string;
beforeEach(() => {
  home = join(root, String(folders++));
  copy = join(root, `${folders++}-copy`);
});

/** A store that remembers one thing of each repository, by number. */
async function fill(folder: string, ids: readonly number[]): Promise<void> {
  const store = await openStore(folder);
  for (const id of ids) {
    await store.queue.add(reviewJob(7, "a", id), 1);
    const record = memoryRecord({ repo: `github.com/${id}`, repoName: `acme/r${id}`, text: `canary-${id}-text` });
    await store.memory.remember([{ record, vector: vectorAt(0) }], SPACE);
  }
  await store.close();
}
const bytesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => readFileSync(join(one.parentPath, one.name), "latin1"))
    .join("\n");

describe("a backup", () => {
  test("is one moment of a store that is written to all the time [R23]", async () => {
    await fill(home, [42]);
    const writer = spawn(process.execPath, [
      new URL("./busy-writer.ts", import.meta.url).pathname,
      join(home, "queue.db"),
    ]);
    try {
      await once(writer.stdout, "data");
      const sizes: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const to = join(root, `load-${folders++}`);
        await backUpStore(home, to, Date.now());
        const back = join(root, `back-${folders++}`);
        await restoreStore(to, back, Date.now());
        const db = new BetterSqlite(join(back, "queue.db"), { readonly: true });
        const [left, right] = [
          "SELECT id FROM deliveries WHERE id LIKE 'load-%' ORDER BY id",
          "SELECT key FROM paused WHERE key LIKE 'load-%' ORDER BY key",
        ].map((text) => db.prepare(text).pluck().all());
        db.close();
        expect(left).toEqual(right);
        // Nothing that was committed before is missing.
        const numbers = new Set((left as string[]).map((id) => Number(id.slice(5))));
        expect([...numbers].every((n) => n < numbers.size)).toBe(true);
        expect(numbers.size).toBeGreaterThanOrEqual(sizes.at(-1) ?? 0);
        sizes.push(numbers.size);
      }
      // It was written to meanwhile.
      expect(sizes.at(-1)).toBeGreaterThan(sizes[0] ?? 0);
    } finally {
      writer.kill("SIGTERM");
      await once(writer, "exit");
    }
  });

  test("records its content by size and hash, and any changed byte is found [R23]", async () => {
    await fill(home, [42]);
    const { files } = await backUpStore(home, copy, 1_000);
    expect(files.map(({ name }) => name)).toEqual(["queue.db", "memory.db"]);
    expect(await verifiedBackup(copy)).toMatchObject({ version: 1, at: 1_000 });
    const path = join(copy, "memory.db");
    const whole = readFileSync(path);
    for (const spoil of [
      () => appendFileSync(path, "x"),
      () => truncateSync(path, whole.length - 1),
      () => flip(path),
    ]) {
      writeFileSync(path, whole);
      spoil();
      await expect(restoreStore(copy, join(root, `none-${folders++}`), 1)).rejects.toThrow(/size or SHA-256 differs/);
    }
    rmSync(path);
    await expect(verifiedBackup(copy)).rejects.toThrow(/is missing/);
    rmSync(join(copy, "manifest.json"));
    await expect(verifiedBackup(copy)).rejects.toThrow(/no backup of Kodiai/);
  });

  test("is never half there: a damaged store, or a folder that holds something, makes none", async () => {
    await fill(home, [42]);
    mkdirSync(copy);
    writeFileSync(join(copy, "note.txt"), "mine");
    await expect(backUpStore(home, copy, 1)).rejects.toThrow(/is not empty/);
    expect(readdirSync(copy)).toEqual(["note.txt"]);
    await expect(backUpStore(join(root, "nowhere"), join(root, "new"), 1)).rejects.toThrow(/there is no store/);
    flip(join(home, "memory.db"), 18);
    truncateSync(join(home, "memory.db"), 8_192);
    const to = join(root, "damaged");
    await expect(backUpStore(home, to, 1)).rejects.toThrow(StoreUnusable);
    expect(existsSync(to) || existsSync(`${to}.partial`)).toBe(false);
  });

  test("holds nothing of what was forgotten before it", async () => {
    await fill(home, [42, 43]);
    const store = await openStore(home);
    await store.traces.forgetRepository({ host: "github.com", id: 42 });
    await store.memory.forgetRepository("github.com/42");
    await backUpStore(home, copy, Date.now());
    await store.close();
    expect(bytesIn(copy)).not.toContain("canary-42");
    expect(bytesIn(copy)).toContain("canary-43");
  });
});

function flip(path: string, at = 5_000): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  writeFileSync(path, bytes);
}

describe("restoring", () => {
  test("never goes over a store, and gives the same rows where there is none", async () => {
    await fill(home, [42]);
    await backUpStore(home, copy, 1_000);
    await expect(restoreStore(copy, home, 2_000)).rejects.toThrow(/holds a store \(queue\.db, memory\.db/);
    const there = join(root, "there");
    const { uncertain } = await restoreStore(copy, there, 2_000);
    expect(uncertain).toBe(1);
    const store = await openStore(there, { isChecked: true, isCommand: true });
    expect(store.memoryProblem).toBeNull();
    expect(await store.restoredAt()).toBe(2_000);
    expect((await store.labels.all()).map(({ id }) => id)).toEqual([42]);
    const canary = scopeOf({ repo: "github.com/42" });
    expect((await store.recall.matching(canary, ["canary"], 5, {})).map((hits) => hits.length)).toEqual([1]);
    expect((await store.recall.nearest(canary, [vectorAt(0)], SPACE, 5, {})).map((hits) => hits.length)).toEqual([1]);
    // A look at whether the repository is still there.
    expect((await store.queue.upkeep.lease())?.job).toMatchObject({ kind: "forget", trigger: "restored" });
    await store.close();
    expect(readdirSync(there).sort()).toEqual(["memory.db", "queue.db"]);
  });

  test("forgets again what was forgotten after the backup, and not what came back before it [R23][T20]", async () => {
    await fill(home, [42, 43, 44]);
    // 44 was forgotten once, long before, and is back.
    appendTombstone(home, { forgot: "repository", key: "github.com/44", at: 500 });
    await backUpStore(home, copy, 1_000);
    const store = await openStore(home);
    await store.traces.forgetRepository({ host: "github.com", id: 42 });
    await store.close();
    for (const name of readdirSync(home)) if (/\.db/.test(name)) rmSync(join(home, name));
    const { forgotten } = await restoreStore(copy, home, Date.now());
    expect(forgotten).toMatchObject([{ forgot: "repository", key: "github.com/42" }]);
    const bytes = bytesIn(home);
    expect(bytes).not.toContain("canary-42");
    expect(bytes).toContain("canary-43");
    expect(bytes).toContain("canary-44");
  });

  test("takes no backup of a later schema", async () => {
    await fill(home, [42]);
    await backUpStore(home, copy, 1_000);
    const db = new BetterSqlite(join(copy, "queue.db"));
    db.exec("INSERT INTO schema_steps (part, version) VALUES ('queue', 99)");
    db.pragma("wal_checkpoint(TRUNCATE)");
    db.close();
    await remanifest();
    await expect(restoreStore(copy, join(root, "later"), 2_000)).rejects.toThrow(/newer than the/);
    expect(existsSync(join(root, "later", "queue.db"))).toBe(false);
  });

  async function remanifest(): Promise<void> {
    const [path, aside] = [join(copy, "manifest.json"), join(root, `aside-${folders++}`)];
    const { createHash } = await import("node:crypto");
    const manifest = JSON.parse(readFileSync(path, "utf8"));
    const bytes = readFileSync(join(copy, "queue.db"));
    manifest.files[0] = {
      ...manifest.files[0],
      bytes: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
    };
    writeFileSync(aside, JSON.stringify(manifest));
    renameSync(aside, path);
  }
});
