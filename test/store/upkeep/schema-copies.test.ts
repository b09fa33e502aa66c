// An upgrade of the schema: the file as it was stays beside the new one, a process that is killed
// in the middle leaves the old schema, and a file of a newer Kodiai is refused.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite from "better-sqlite3";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { StoreUnusable } from "../../../src/domain/errors.ts";
import { openMemoryFile } from "../../../src/store/memory/memory-file.ts";
import { MEMORY_PART } from "../../../src/store/memory/schema.ts";
import { migrate, type SchemaPart, versions } from "../../../src/store/migrate.ts";
import { openQueueFile } from "../../../src/store/queue/clock.ts";
import { QUEUE_PART } from "../../../src/store/queue/schema.ts";
import { openSqlite } from "../../../src/store/sqlite.ts";
import { keepBeforeUpgrade } from "../../../src/store/upkeep/snapshot.ts";
import { checkFile } from "../../../src/store/upkeep/store-files.ts";

const folder = mkdtempSync(join(tmpdir(), "kodiai-schemas-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
let path: string;
beforeEach(() => {
  path = join(folder, `${files++}.db`);
});

/** A schema that was released twice. */
const STEPS: SchemaPart["steps"] = [
  () =>
    "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;\nINSERT INTO things VALUES (1, 'first');\n",
  () =>
    "ALTER TABLE things ADD COLUMN size INTEGER;\nUPDATE things SET size = 5;\nCREATE INDEX things_by_size ON things (size);\n",
];
const FIRST: SchemaPart = { part: "things", steps: STEPS.slice(0, 1) };
const SECOND: SchemaPart = { part: "things", steps: STEPS };

async function opened(at: string, part: SchemaPart) {
  const db = openSqlite(at, { now: Date.now });
  await keepBeforeUpgrade(db, part, at);
  await migrate(db, [part], at);
  return db;
}

const rowsOf = (at: string) => {
  const db = new BetterSqlite(at, { readonly: true });
  const rows = db.prepare("SELECT * FROM things").all();
  db.close();
  return rows;
};

test("an upgrade keeps every row, and a copy of what was beside it; nothing to do makes no copy [R24]", async () => {
  await (await opened(path, FIRST)).close();
  await (await opened(path, FIRST)).close();
  expect(existsSync(`${path}.schema-1`)).toBe(false);
  const db = await opened(path, SECOND);
  expect([...(await versions(db))]).toEqual([["things", 2]]);
  await db.close();
  expect(rowsOf(path)).toEqual([{ id: 1, name: "first", size: 5 }]);
  expect(rowsOf(`${path}.schema-1`)).toEqual([{ id: 1, name: "first" }]);
  expect(existsSync(`${path}.schema-1.partial`)).toBe(false);
  checkFile(path, SECOND);
  checkFile(`${path}.schema-1`, FIRST);
});

test("a process that is killed in an upgrade leaves the old schema, and the next start completes the new one [R24]", async () => {
  const statements = 3;
  for (let at = 1; at <= statements; at += 1) {
    path = join(folder, `killed-${at}.db`);
    await (await opened(path, FIRST)).close();
    expect(killedBefore(at)).toBe("SIGKILL");
    expect(rowsOf(path)).toEqual([{ id: 1, name: "first" }]);
    await (await opened(path, SECOND)).close();
    expect(rowsOf(path)).toEqual([{ id: 1, name: "first", size: 5 }]);
    expect(rowsOf(`${path}.schema-1`)).toEqual([{ id: 1, name: "first" }]);
  }
});

/**
 * Upgrades the file in a process that dies before the given statement of the second step. Returns
 * the signal.
 */
function killedBefore(at: number): string | null {
  const program = join(folder, "killed.ts");
  const src = new URL("../../../src/store", import.meta.url).pathname;
  const [first, second] = STEPS.map((step) => JSON.stringify(step({} as never)));
  writeFileSync(
    program,
    `const { openSqlite } = await import(${JSON.stringify(`${src}/sqlite.ts`)});
     const { migrate } = await import(${JSON.stringify(`${src}/migrate.ts`)});
     const { keepBeforeUpgrade } = await import(${JSON.stringify(`${src}/upkeep/snapshot.ts`)});
     const path = ${JSON.stringify(path)};
     const part = { part: "things", steps: [() => ${first}, () => ${second}] };
     const db = openSqlite(path, { now: Date.now });
     await keepBeforeUpgrade(db, part, path);
     let left = ${at};
     const dying = (sql) => ({
       ...sql,
       run(text, values) {
         if (/things/.test(text) && !/schema_steps/.test(text) && --left === 0) process.kill(process.pid, "SIGKILL");
         return sql.run(text, values);
       },
     });
     await migrate({ ...db, transaction: (work) => db.transaction((tx) => work(dying(tx))) }, [part], path);`,
  );
  const { signal, stderr } = spawnSync(process.execPath, [program], { encoding: "utf8" });
  if (signal === null) throw new Error(stderr);
  return signal;
}

describe.each([
  ["queue.db", QUEUE_PART, openQueueFile],
  ["memory.db", MEMORY_PART, openMemoryFile],
] as const)("%s", (_name, part, open) => {
  test("of a newer Kodiai is refused with what to do, and left alone [R24]", async () => {
    await (await open(path)).close();
    const newer = new BetterSqlite(path);
    newer.exec(`INSERT INTO schema_steps (part, version) VALUES ('${part.part}', ${part.steps.length + 2})`);
    newer.close();
    const refusal = /newer than the \d+ that this Kodiai knows\. Upgrade Kodiai, or use another/;
    await expect(open(path)).rejects.toThrow(StoreUnusable);
    await expect(open(path)).rejects.toThrow(refusal);
    expect(() => checkFile(path, part)).toThrow(refusal);
    const left = new BetterSqlite(path, { readonly: true });
    expect(left.prepare("SELECT max(version) FROM schema_steps").pluck().get()).toBe(part.steps.length + 2);
    left.close();
    expect(existsSync(`${path}.schema-${part.steps.length + 2}`)).toBe(false);
  });

  test("with tables of another program is refused by name, and left alone", async () => {
    const before = new BetterSqlite(path);
    before.exec("CREATE TABLE deliveries (id TEXT); CREATE TABLE records (id INTEGER); PRAGMA user_version = 3");
    before.close();
    await expect(open(path)).rejects.toThrow(/tables of another program/);
    expect(() => checkFile(path, part)).toThrow(StoreUnusable);
    const left = new BetterSqlite(path, { readonly: true });
    expect(left.pragma("user_version", { simple: true })).toBe(3);
    left.close();
  });
});
