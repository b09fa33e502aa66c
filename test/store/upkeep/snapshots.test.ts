// What was read of repositories, beside the store: it expires with what else is old, goes with its
// repository, and is in no backup.
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { blobSha } from "../../../src/adapters/blob-cache.ts";
import { BLOB_DAYS, DAY_MS } from "../../../src/adapters/retention.ts";
import { backUpStore } from "../../../src/store/upkeep/backup.ts";
import { personPorts } from "../../../src/wire/cli/store.ts";
import { openStore, type Store } from "../../../src/wire/store.ts";
import { testDatabase } from "../../postgres.ts";

const SHOP = { host: "github.com", id: 42 };
const BANK = { host: "github.com", id: 43 };
const BYTES = Buffer.from("export const a = 1;\n");

const database = await testDatabase();
afterAll(() => database?.drop());

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kodiai-kept-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const kept = () => (existsSync(join(folder, "snapshots")) ? readdirSync(join(folder, "snapshots")) : []);
const keepFor = (store: Store, repo: typeof SHOP) => store.blobs?.of(repo).keep(blobSha(BYTES), BYTES);

const PLACES = [
  ["in a folder", () => openStore(folder)],
  ...(database === null ? [] : [["on PostgreSQL", () => openStore(database.url, { dataDir: folder })] as const]),
] as const;

test.each(PLACES)("%s: blobs expire with what else is old, and go with their repository", async (_name, open) => {
  const store = await open();
  try {
    await keepFor(store, SHOP);
    await keepFor(store, BANK);
    await store.expire(Date.now() + (BLOB_DAYS - 1) * DAY_MS);
    expect(kept()).toEqual(["github.com%2F42", "github.com%2F43"]);
    await store.traces.forgetRepository(SHOP);
    expect(kept()).toEqual(["github.com%2F43"]);
    await store.expire(Date.now() + (BLOB_DAYS + 1) * DAY_MS);
    expect(kept()).toEqual([]);
  } finally {
    await store.close();
  }
});

test("no backup has them, and erasing a person removes them: code may name any person", async () => {
  const store = await openStore(folder);
  await keepFor(store, SHOP);
  await store.close();
  const backup = join(folder, "backup");
  await backUpStore(folder, backup, Date.now());
  expect(readdirSync(backup)).not.toContain("snapshots");
  const people = await personPorts(folder);
  await people.erase({ login: "mona" }, false);
  await people.close();
  expect(kept()).toEqual([]);
});
