// A page of a file rots while the server runs: the next look at the files, or the next question that meets it, finds it.
import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, expect, test } from "vitest";
import { BACKUP } from "./given.ts";
import { openStage, type Stage, until } from "./stage.ts";

let stage: Stage;
afterEach(() => stage.close());

/** The first page of memory's records. */
function rot(): void {
  const path = join(stage.dataDir, "memory.db");
  const db = new Database(path);
  db.pragma("wal_checkpoint(TRUNCATE)");
  const root = db.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'records'").pluck().get() as number;
  db.close();
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(2_048, 0xff), 0, 2_048, (root - 1) * 4_096);
  closeSync(file);
  expect(statSync(path).size).toBeGreaterThan(root * 4_096);
}

async function reasons(): Promise<readonly string[]> {
  const answer = await fetch(`${stage.adminUrl()}/readyz`);
  return ((await answer.json()) as { readonly reasons: readonly string[] }).reasons;
}

test("both files are read while the server works, and a page that rotted is told with what to do", async () => {
  stage = await openStage({ app: { waits: { settledMs: 0, verifyMs: 400 } } });
  const logged = (text: string) => stage.log.some((line) => line.includes(text));
  await until("both were whole", () => logged("the store is whole"));
  const repository = await stage.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const pull = await stage.world.pullRequest(repository, {
    title: "Add",
    files: { "src/a.ts": "export const a = 1;\n" },
  });
  await stage.settled(pull);
  expect(await reasons()).toEqual([]);

  rot();
  await until("it is found", () => logged("memory.db is damaged"));
  await until("whoever asks is told", () => stage.log.length > 0);
  expect(await reasons()).toEqual(["memory.db is damaged: see the log"]);
  expect(stage.log.find((line) => line.includes("memory.db is damaged"))).toContain(
    "restore a backup (kodiai restore DIR)",
  );
});

test("damage that a review meets has the files read at once, and whoever asks is told", async () => {
  stage = await openStage();
  const repository = await stage.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const files = { "ops/backup.py": BACKUP };
  await stage.settled(await stage.world.pullRequest(repository, { title: "Add", files }));
  expect(await reasons()).toEqual([]);
  rot();
  const { state } = await stage.settled(
    await stage.world.pullRequest(repository, { title: "Add more", files: { "ops/again.py": BACKUP } }),
  );
  expect(state).toBe("done");
  await until("it is found", () => stage.log.some((line) => line.includes("memory.db is damaged")));
  expect(await reasons()).toEqual(["memory.db is damaged: see the log"]);
});
