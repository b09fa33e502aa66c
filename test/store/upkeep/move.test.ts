// A store that was in use, moved from a folder to PostgreSQL.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { UsageError } from "../../../src/config/usage-error.ts";

import { StoreUnusable } from "../../../src/domain/errors.ts";
import { exportMemory } from "../../../src/flows/memory/memory-file.ts";
import { openMemoryFile } from "../../../src/store/memory/memory-file.ts";
import { storedRecall } from "../../../src/store/memory/recall.ts";
import { storedRejections } from "../../../src/store/memory/rejections.ts";
import { storedMemory } from "../../../src/store/memory/stored-memory.ts";
import { openPostgres } from "../../../src/store/postgres.ts";
import { openQueueFile } from "../../../src/store/queue/clock.ts";
import { storedInbox } from "../../../src/store/queue/deliveries.ts";
import type { Database } from "../../../src/store/sql.ts";
import type { ReportMoved } from "../../../src/store/upkeep/move.ts";
import { moveStore } from "../../../src/store/upkeep/move.ts";
import { openMigration } from "../../../src/wire/cli/store.ts";
import { openStore } from "../../../src/wire/store.ts";
import { memoryRecord, SHOP, SPACE, scopeOf, vectorAt } from "../../adapters/contracts/memory.ts";
import { fillWithPerson } from "../../adapters/contracts/person-stores.ts";
import { reviewJob } from "../../adapters/contracts/queue.ts";
import { anEntry } from "../../adapters/contracts/retrieval-log.ts";
import { type TestDatabase, testDatabase } from "../../postgres.ts";

const folder = mkdtempSync(join(tmpdir(), "kodiai-move-"));
const first = await testDatabase();
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await first?.drop();
});

/** More than a page. */
const ROWS = 1_205;
/** Of processes that run now, of what GitHub asks them to wait for, and of the machine. */
const LEFT = ["bookings", "installations", "instances", "probes"];
const finding = memoryRecord({
  corpus: "finding",
  sourceId: "#7/fnd_0123456789ab",
  outcome: "posted",
  visibility: "public",
});
const repo = { host: "github.com", id: 42, ownerId: 9, owner: "acme", name: "shop", visibility: "private" } as const;
const quiet = () => {};

/**
 * More rows than a page, texts that PostgreSQL does not take, and jobs that were at work when the
 * server ended.
 */
beforeAll(async () => {
  await fillWithPerson(await openStore(folder));
  const store = await openStore(folder);
  const rows = Array.from({ length: ROWS }, (_, at) => ({
    record: memoryRecord({ sourceId: `m${at}`, text: `pool ${at} of “C++” is closed twice` }),
    vector: at % 10 === 0 ? null : vectorAt(at % 64, at / ROWS),
  }));
  await store.memory.remember([{ record: finding, vector: vectorAt(3) }, ...rows], SPACE);
  const decided = { at: 5, by: "wren", reason: "by design", sha: null, weight: "reason" } as const;
  const rejections = [{ by: "wren", reason: "no", url: null, at: 5, isReaction: false, pull: null }];
  await store.evidence.decide(SHOP, [{ memoryId: finding.id, outcome: "declined", decided, rejections }]);
  await store.retrievals.write(anEntry());
  await store.spending.record(repo, 1, "review", {
    ...{ inputTokens: 1, cachedTokens: 0, outputTokens: 1, usd: 0.1 + 0.2, ms: 1, requests: 1 },
  });
  await store.waits.learn(repo, 5);
  await store.close();
  const memory = await openMemoryFile(join(folder, "memory.db"));
  await memory.run("UPDATE contents SET author = 'z' || char(0) || 'oe' WHERE id = 5");
  const replies = JSON.stringify(['is "this" closed?\n\t“yes”', "\0\u001f\ud800", ""]);
  await memory.run("UPDATE contents SET replies = $1 WHERE id = 6", [replies]);
  await memory.close();
  const queue = await openQueueFile(join(folder, "queue.db"));
  for (const [key, state] of [
    ["a#1", "running"],
    ["a#1", "waiting"],
    ["a#2", "running"],
    ["a#3", "done"],
  ])
    await queue.run(
      `INSERT INTO jobs (key, lane, job, repo, account, state, owner, run_at, created_at)
       VALUES ($1, 'review', '{}', 'github.com/42', 'github.com/9', $2, 'ended', 1, 1)`,
      [key, state],
    );
  await queue.close();
});

interface Source {
  readonly queue: Database;
  readonly memory: Database;
}

async function withSource<T>(work: (source: Source) => Promise<T>): Promise<T> {
  const queue = await openQueueFile(join(folder, "queue.db"));
  const memory = await openMemoryFile(join(folder, "memory.db"));
  try {
    return await work({ queue, memory });
  } finally {
    await queue.close();
    await memory.close();
  }
}

/** As the command moves it. */
async function moved(url: string, report: ReportMoved = quiet) {
  const { move, close } = await openMigration(`sqlite://${folder}`, url);
  try {
    return await move(report);
  } finally {
    await close();
  }
}

/** A target whose statement that begins so is given to `instead`. */
function meddled(
  db: Database,
  begins: string,
  instead: (send: typeof db.run, text: string, sent: string, values: readonly unknown[]) => Promise<number>,
): Database {
  return {
    ...db,
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          ...tx,
          run: (text, values = []) =>
            text.startsWith(begins) ? instead(tx.run, text, String(values[0]), values) : tx.run(text, values),
        }),
      ),
  };
}

/** Cut before the second page of texts. */
async function cut(source: Source, target: Database): Promise<void> {
  let pages = 0;
  const broken = meddled(target, "INSERT INTO contents", (send, text, sent) => {
    pages += 1;
    return pages === 2 ? Promise.reject(new Error("cut")) : send(text, [sent]);
  });
  await expect(moveStore(source, broken, quiet)).rejects.toThrow("cut");
}

describe("what cannot be moved is refused", () => {
  test("another kind of source, no target, and a folder without a store", async () => {
    await expect(openMigration("postgres://here/db", "postgres://there/db")).rejects.toThrow(UsageError);
    await expect(openMigration(`sqlite://${folder}`, undefined)).rejects.toThrow(UsageError);
    await expect(openMigration(`sqlite://${join(folder, "none")}`, "postgres://there/db")).rejects.toThrow(
      /^There is no queue.db in /,
    );
    await expect(openMigration(`sqlite://${folder}`, "mysql://there/db")).rejects.toThrow(StoreUnusable);
  });
});

describe.skipIf(first === null)("a store that is moved to PostgreSQL", () => {
  let given: TestDatabase;
  let target: Database;
  beforeEach(async () => {
    given = (await testDatabase()) as TestDatabase;
    target = openPostgres(given.url);
    return async () => {
      await target.close();
      await given.drop();
    };
  });

  test("is the same, row for row; what is exported of both is byte for byte the same; what comes later is numbered after it", async () => {
    const reported: string[] = [];
    const tables = await moved(given.url, (what, table, rows) => reported.push(`${what} ${table} ${rows}`));
    const rows = new Map(tables.map(({ table, rows: count }) => [table, count]));
    expect(reported).toEqual(
      expect.arrayContaining(["moving contents 1000", `verified contents ${rows.get("contents")}`]),
    );
    await withSource(async ({ queue, memory }) => {
      for (const { table, rows: count } of tables) {
        const source = table === "clock" || (await holds(memory, table)) ? memory : queue;
        expect(await countOf(source, table), table).toBe(count);
        expect(await countOf(target, table), table).toBe(count);
      }
      // Two of them are of the person.
      expect(["records", "decided", "retrievals"].map((name) => rows.get(name))).toEqual([ROWS + 2, 1, 1]);
      expect(
        Math.min(...["jobs", "reviews", "spending", "evidence", "vectors"].map((name) => rows.get(name) ?? 0)),
      ).toBeGreaterThan(0);
      const search = { rowsInDatabase: 0 };
      const [here, there] = [storedRecall(memory, null, search), storedRecall(target, null, search)];
      // The author whose name held U+0000 lost it on the way.
      const before = (await exported(memory)).map((line) => line.replace("z\\u0000oe", "zoe"));
      expect(await exported(target)).toEqual(before);
      expect(before.length).toBe(ROWS + 2);
      const near = async (of: typeof here) => of.nearest(scopeOf(), [vectorAt(5, 0.4)], SPACE, 10, {});
      const words = async (of: typeof here) => of.matching(scopeOf(), ["which pool 17 is closed"], 10, {});
      expect(
        (await near(there))
          .flat()
          .map(({ id }) => id)
          .sort(),
      ).toEqual(
        (await near(here))
          .flat()
          .map(({ id }) => id)
          .sort(),
      );
      expect((await near(there)).flat()).toHaveLength(10);
      expect(await words(there)).toEqual(await words(here));
      const [rejected] = await storedRejections(target).rejected(SHOP);
      expect(rejected?.each.map(({ reason }) => reason)).toContain("no");
      const version = await there.version(SHOP);
      expect(version).toBe(await here.version(SHOP));
      const spent = "SELECT usd FROM spending ORDER BY id";
      expect(await target.all(spent)).toEqual(await queue.all(spent));
      await storedMemory(target, () => Promise.resolve()).remember(
        [{ record: memoryRecord(), vector: vectorAt(1) }],
        SPACE,
      );
      expect(await there.version(SHOP)).toBeGreaterThan(version);
    });
    expect(await target.all("SELECT key, state, owner FROM jobs WHERE key LIKE 'a#%' ORDER BY id")).toEqual([
      { key: "a#1", state: "superseded", owner: null },
      { key: "a#1", state: "waiting", owner: "ended" },
      { key: "a#2", state: "waiting", owner: null },
      { key: "a#3", state: "done", owner: "ended" },
    ]);
    // One that will not run again leaves the database one day, as all that ended do.
    expect(await target.all("SELECT key FROM jobs WHERE state = 'superseded' AND finished_at IS NULL")).toEqual([]);
    const store = await openStore(given.url);
    await store.queue.add(reviewJob(99, "z"), Date.now());
    await store.close();
  });

  test("has every table, but for what belongs to processes that run now and to the machine", async () => {
    const tables = await moved(given.url);
    const rows = await target.all<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'schema_steps'",
    );
    expect(rows.map(({ name }) => name).sort()).toEqual([...tables.map(({ table }) => table), ...LEFT].sort());
  });

  test("leaves nothing in the database when it is stopped, and begins again", async () => {
    await withSource((source) => cut(source, target));
    expect(await countOf(target, "records")).toBe(0);
    const tables = await moved(given.url);
    expect(tables.find(({ table }) => table === "contents")?.rows).toBe(ROWS + 2);
    await (await openStore(given.url)).close();
  });

  test("begins again after one that was killed while the database was at work for it", async () => {
    const killed = new pg.Client({ connectionString: given.url });
    killed.on("error", quiet);
    await killed.connect();
    await killed.query("BEGIN");
    await killed.query(
      "INSERT INTO repositories (id, host, github_id, visibility, full_name, version) VALUES (1, 'h', '1', 'public', 'a/b', 1)",
    );
    const answer = killed.query("SELECT pg_sleep(2)").catch(quiet);
    await wait(200);
    // As the system does for a process that is gone: the server sees it once it is done.
    (killed as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    await answer;
    const tables = await moved(given.url);
    expect(tables.find(({ table }) => table === "contents")?.rows).toBe(ROWS + 2);
  });

  test("is refused where there is a store already", async () => {
    await moved(given.url);
    await expect(moved(given.url)).rejects.toThrow("holds a store already");
  });

  test("is refused where a row is not the same", async () => {
    await withSource(async (source) => {
      const other = meddled(target, "INSERT INTO contents", (send, text, sent) =>
        send(text, [sent.replace("closed twice", "closed twicf")]),
      );
      await expect(moveStore(source, other, quiet)).rejects.toThrow("contents is not the same on both sides");
      expect(await countOf(target, "records")).toBe(0);
    });
  });

  test("is refused where the source was written to while it was moved", async () => {
    const write = (queue: Database, id: string) =>
      storedInbox(queue).take([
        {
          delivery: { id, event: "ping", receivedAt: 1, meaning: null },
          outcome: { kind: "ignored", delivery: id, reason: "a ping" },
          beside: [],
        },
      ]);
    await withSource(async (source) => {
      let late: Promise<unknown> = Promise.resolve();
      const report: ReportMoved = (what, table) => {
        if (what === "verified" && table === "deliveries") late = write(source.queue, "during");
      };
      await expect(moveStore(source, target, report)).rejects.toThrow("written to since the move began");
      await late;
    });
  });
});

async function exported(db: Database): Promise<readonly string[]> {
  const ports = { memory: storedMemory(db, () => Promise.resolve()), recall: storedRecall(db, null), space: SPACE };
  const lines: string[] = [];
  const wish = { repo, corpora: ["finding", "review_comment"], what: "records" } as const;
  for await (const line of exportMemory(wish, ports)) lines.push(line);
  return lines;
}

async function holds(file: Database, table: string): Promise<boolean> {
  return (await file.one("SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = $1", [table])) !== null;
}

async function countOf(db: Database, table: string): Promise<number> {
  return (await db.one<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))?.n ?? -1;
}
