// Nobody but the owner reads a store, however open its folder was.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ownerOnly, ownerOnlyFolder } from "../../../src/store/owner-only.ts";
import { backUpStore } from "../../../src/store/upkeep/backup.ts";
import { restoreStore } from "../../../src/store/upkeep/restore.ts";
import { appendTombstone } from "../../../src/store/upkeep/tombstones.ts";
import { openStore } from "../../../src/wire/store.ts";

let root: string;
let home: string;
let before: number;
beforeEach(() => {
  before = process.umask(0);
  root = mkdtempSync(join(tmpdir(), "kodiai-owner-"));
  home = join(root, "home");
});
afterEach(() => {
  process.umask(before);
  rmSync(root, { recursive: true });
});

const modeOf = (path: string) => statSync(path).mode & 0o777;

test("a new store, its logs, its backup and what is restored from that are for their owner alone", async () => {
  const store = await openStore(home, { onExposed: () => {} });
  await store.waits.learn({ host: "github.com", id: 42 }, 1);
  for (const name of ["queue.db", "queue.db-wal", "queue.db-shm", "memory.db", "memory.db-wal"])
    expect([name, modeOf(join(home, name))]).toEqual([name, 0o600]);
  expect(modeOf(home)).toBe(0o700);
  const copy = join(root, "copy");
  await backUpStore(home, copy, 1);
  await store.close();
  const there = join(root, "there");
  await restoreStore(copy, there, 2);
  appendTombstone(there, { forgot: "repository", key: "github.com/42", at: 3 });
  for (const [folder, names] of [
    [copy, ["queue.db", "memory.db", "manifest.json"]],
    [there, ["queue.db", "memory.db", "forgotten.jsonl"]],
  ] as const) {
    expect(modeOf(folder)).toBe(0o700);
    for (const name of names) expect([name, modeOf(join(folder, name))]).toEqual([name, 0o600]);
  }
});

test("a store that others could read is closed to them when a server opens it; other files are left as they are", async () => {
  await (await openStore(home)).close();
  writeFileSync(join(home, "note.txt"), "mine", { mode: 0o644 });
  writeFileSync(join(home, "memory.db.schema-1"), "old", { mode: 0o644 });
  chmodSync(home, 0o755);
  for (const name of ["queue.db", "memory.db"]) chmodSync(join(home, name), 0o664);
  const exposed: string[] = [];
  const store = await openStore(home, { onExposed: (reason) => void exposed.push(reason) });
  await store.close();
  expect(exposed).toEqual([]);
  expect(modeOf(home)).toBe(0o700);
  for (const name of ["queue.db", "memory.db", "memory.db.schema-1"]) expect(modeOf(join(home, name))).toBe(0o600);
  expect(modeOf(join(home, "note.txt"))).toBe(0o644);
});

test("a world-writable folder stays open, with a warning; the files in it do not", async () => {
  mkdirSync(home);
  chmodSync(home, 0o1777);
  const exposed: string[] = [];
  const store = await openStore(home, { onExposed: (reason) => void exposed.push(reason) });
  await store.close();
  expect(exposed).toEqual(["it is shared by all users of this machine"]);
  expect(statSync(home).mode & 0o7777).toBe(0o1777);
  expect(modeOf(join(home, "queue.db"))).toBe(0o600);
});

test("a command leaves the mode of the folder to its owner", async () => {
  mkdirSync(home);
  chmodSync(home, 0o755);
  await (await openStore(home)).close();
  expect(modeOf(home)).toBe(0o755);
  expect(modeOf(join(home, "queue.db"))).toBe(0o600);
});

test("where a file cannot be made nothing is thrown: SQLite says so in its own words", () => {
  expect(() => ownerOnly(join(root, "nowhere", "queue.db"))).not.toThrow();
  mkdirSync(home, { mode: 0o700 });
  expect(ownerOnlyFolder(home)).toBeNull();
});
