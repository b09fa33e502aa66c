// Memory fails in every way: the review is posted, its footer says what was missing, and the server
// lives.
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, expect, test } from "vitest";
import type { Precedents } from "../../src/domain/retrieval.ts";
import type { AppOptions } from "../../src/server/app-options.ts";
import type { Repository } from "../fakes/github/conversation.ts";
import { type Harness, openHarness } from "./app-harness.ts";
import { BACKUP, BALANCE, said, summaryOf } from "./change-builders.ts";
import { comment, inMemory, remembering, smallTalk } from "./seed-memory.ts";

const FOUND = /Memory: \d precedents?\./;

let harness: Harness;
let repository: Repository;
let retrieved: Precedents[];

afterEach(async () => {
  expect(harness.world.violations).toEqual([]);
  await harness.close();
});

async function open(memory: AppOptions["memory"] = {}): Promise<void> {
  retrieved = [];
  const onStep: AppOptions["onStep"] = (_job, stage, value) => {
    if (stage === "retrieve") retrieved.push(value as Precedents);
  };
  harness = await openHarness({ app: { memory, onStep } });
  repository = await harness.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
}

async function openWithMemory(memory?: AppOptions["memory"]): Promise<void> {
  await open(memory);
  await remembering(harness, [comment(repository, "1"), ...smallTalk(repository, 9)]);
}

/** A pull request is opened and its review posted with its finding, whatever memory does. */
async function reviewed(in_ = repository) {
  const pull = await harness.world.pullRequest(in_, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  const job = await harness.settled(pull);
  expect(said(harness.world, pull)).toEqual(["ops/backup.py:3 shell-from-strings"]);
  expect(job).toMatchObject({ state: "done", attempt: 1, outcome: expect.stringMatching(/^posted /) });
  const { body } = summaryOf(harness.world, pull);
  // Everybody reads it: no place on the server's disk.
  expect(body).not.toContain(harness.dataDir);
  return { pull, body, outcome: job.outcome ?? "", parts: retrieved.at(-1)?.degraded.map(({ part }) => part) };
}

async function alive() {
  const answer = await fetch(`${harness.adminUrl()}/healthz`);
  return (await answer.json()) as { ok: boolean };
}

function rows(): number {
  return inMemory(harness, (db) => db.prepare("SELECT count(*) FROM records").pluck().get() as number);
}

/** Overwrites the pages of tables with what is no page, as a failing disk does. */
function spoil(...tables: readonly string[]): void {
  const pages = inMemory(harness, (db) => {
    db.pragma("wal_checkpoint(TRUNCATE)");
    return tables.flatMap(
      (table) => db.prepare("SELECT pageno FROM dbstat WHERE name = ?").pluck().all(table) as number[],
    );
  });
  expect(pages.length).toBeGreaterThan(0);
  const file = openSync(join(harness.dataDir, "memory.db"), "r+");
  for (const page of pages) writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, (page - 1) * 4096);
  closeSync(file);
}

test("with all well nothing is said but what was found", async () => {
  await openWithMemory();
  const { body, parts } = await reviewed();
  expect(body).toMatch(FOUND);
  expect(body).not.toContain("incomplete");
  expect(parts).toEqual([]);
});

test("where nothing is remembered yet that is said, and it is no failure [003-28]", async () => {
  await open();
  const { body } = await reviewed();
  expect(body).toContain("Remembered so far: nothing yet.");
  expect(body).not.toContain("incomplete");
});

test("without sqlite-vec memory is searched by words, and goes on remembering with vectors [000-33][003-25]", async () => {
  await openWithMemory({ vectors: { file: "/nowhere/vec0.so" } });
  const { body, outcome } = await reviewed();
  expect(body).toMatch(FOUND);
  expect(body).toMatch(/- `vector-search`: vector search is not available: sqlite-vec could not be loaded/);
  expect(body).not.toContain("/nowhere");
  expect(outcome).not.toContain("not remembered");
  expect(inMemory(harness, (db) => db.prepare("SELECT count(*) FROM vectors").pluck().get())).toBe(11);
});

test("a full disk costs what would be remembered: the job is done, its outcome says so, and with free space there is memory again [R14]", async () => {
  await openWithMemory();
  await harness.restart({ memory: { mostPages: 1 } });
  // One row more may find room in the pages that there are; two dozen do not.
  const files = Object.fromEntries(Array.from({ length: 24 }, (_, n) => [`ops/backup-${n}.py`, BACKUP]));
  const pull = await harness.world.pullRequest(repository, { title: "Back up", files });
  expect(await harness.waitsAgain(pull)).toMatchObject({
    outcome: expect.stringContaining("Transient: the disk is full"),
  });
  await harness.restart({ memory: { mostPages: 1 } }, () => {
    const queue = new Database(join(harness.dataDir, "queue.db"));
    queue.exec("UPDATE jobs SET attempt = 5, run_at = 0 WHERE state = 'waiting'");
    queue.close();
  });
  const job = await harness.settled(pull);
  expect(job).toMatchObject({ state: "done", attempt: 6 });
  expect(job.outcome).toMatch(/^posted .*; not remembered: the disk is full$/);
  expect(summaryOf(harness.world, pull).body).toMatch(/^\*\*24 \w+ findings open/);
  expect(harness.log.join("")).toMatch(/"level":40.*"stage":"remember".*the disk is full/);
  expect(rows()).toBe(10);
  await harness.restart();
  expect(harness.jobs(pull)).toHaveLength(1);
  await harness.world.push(pull, { "ops/backup-0.py": `${BACKUP}\n`, "src/balance.py": BALANCE });
  expect((await harness.settled(pull)).outcome).not.toContain("not remembered");
  // What was posted on the full disk is not posted again, and so is lost to memory; what is new is
  // remembered.
  expect(rows()).toBe(11);
});

test("a lock on memory is waited for; on the last try the job ends without memory, and nothing is posted twice [R13]", async () => {
  await openWithMemory();
  const locked = new Database(join(harness.dataDir, "memory.db"));
  const queue = new Database(join(harness.dataDir, "queue.db"));
  try {
    locked.exec("BEGIN IMMEDIATE");
    const pull = await harness.world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
    expect(await harness.waitsAgain(pull)).toMatchObject({ outcome: "Transient: the database is locked" });
    queue.exec("UPDATE jobs SET attempt = 5 WHERE state = 'waiting'");
    await harness.hurry();
    const job = await harness.settled(pull);
    expect(job).toMatchObject({ state: "done", attempt: 6 });
    expect(job.outcome).toMatch(/^posted .*; not remembered: the database is locked$/);
    expect(said(harness.world, pull)).toEqual(["ops/backup.py:3 shell-from-strings"]);
    expect(summaryOf(harness.world, pull).body).toMatch(FOUND);
  } finally {
    locked.close();
    queue.close();
  }
});

test("vectors that were damaged are passed over, and how many is said [003-25]", async () => {
  await openWithMemory();
  inMemory(harness, (db) => {
    const [first, second, third] = db.prepare("SELECT id FROM vectors ORDER BY id DESC LIMIT 3").pluck().all();
    db.prepare("UPDATE vectors SET code = x'0102' WHERE id = ?").run(first);
    db.prepare("UPDATE vectors SET code = x'' WHERE id = ?").run(second);
    db.prepare("UPDATE vectors SET code = zeroblob(length(code)) WHERE id = ?").run(third);
  });
  const { body, parts } = await reviewed();
  expect(parts).toEqual(["damaged-vectors"]);
  expect(body).toMatch(FOUND);
  expect(body).toMatch(
    /- `damaged-vectors`: the vectors of 3 memories are damaged and not compared; words still find them/,
  );
  expect(retrieved.at(-1)?.ranked.some(({ vectorRank }) => vectorRank !== null)).toBe(true);
});

test("when the terms cannot be read, memory is searched by vectors [003-26]", async () => {
  await openWithMemory();
  await harness.restart({ memory: { isChecked: false } }, () => spoil("terms"));
  const { body } = await reviewed();
  expect(body).toMatch(FOUND);
  expect(body).toMatch(/- `keyword-search`: .*malformed/);
  expect(retrieved.at(-1)?.provenance.method).toBe("hybrid");
  expect(retrieved.at(-1)?.ranked.every(({ keywordRank }) => keywordRank === null)).toBe(true);
});

test("damaged pages under the records cost the memory; the server lives [R15]", async () => {
  await openWithMemory();
  await harness.restart({ memory: { isChecked: false } }, () => spoil("records", "records_by_repo"));
  const { body, outcome } = await reviewed();
  expect(body).toMatch(/- `memory-counts`: database disk image is malformed/);
  expect(outcome).toMatch(/; not remembered: .*malformed/);
  expect(await alive()).toMatchObject({ ok: true });
});

test("a memory that is no database at all is off: the server starts, and every review says so in one line [000-33][R15]", async () => {
  await openWithMemory();
  await harness.restart({}, () => {
    for (const end of ["", "-wal", "-shm"])
      writeFileSync(join(harness.dataDir, `memory.db${end}`), "hello ".repeat(2_000));
  });
  const { body, outcome, parts } = await reviewed();
  expect(parts).toEqual(["memory"]);
  expect(body).toContain("- `memory`: memory.db could not be opened; run `kodiai doctor` for the cause");
  expect(outcome).toContain("; not remembered: memory.db could not be opened");
  expect(harness.log.join("")).toMatch(/"level":50.*restore a backup.*reviews continue without memory/);
  expect(await alive()).toMatchObject({ ok: true });
});

test("jobs that keep memory in step wait for a memory that opens, and run then", async () => {
  await openWithMemory();
  const files = ["", "-wal", "-shm"].map((end) => join(harness.dataDir, `memory.db${end}`));
  const saved = new Map<string, Buffer>();
  await harness.restart({}, () => {
    for (const file of files) {
      if (existsSync(file)) saved.set(file, readFileSync(file));
      writeFileSync(file, "hello ".repeat(2_000));
    }
  });
  await harness.world.commit(repository, { "docs/guide.md": "# Guide\n\nRetry thrice.\n" });
  await reviewed();
  const waits = () => harness.log.filter((line) => line.includes("maintenance lane disabled"));
  expect(waits()).toHaveLength(1);
  expect(upkeep()).toEqual(["waiting 0"]);
  await harness.restart({}, () => {
    for (const file of files) {
      const bytes = saved.get(file);
      if (bytes === undefined) rmSync(file, { force: true });
      else writeFileSync(file, bytes);
    }
  });
  expect(await harness.followed(repository)).toEqual([expect.stringMatching(/^index: indexed .* 2 files read/)]);
});

/** Jobs of that lane: state and tries. */
function upkeep(): string[] {
  const db = new Database(join(harness.dataDir, "queue.db"), { readonly: true });
  try {
    return db.prepare("SELECT state || ' ' || attempt FROM jobs WHERE lane = 'upkeep'").pluck().all() as string[];
  } finally {
    db.close();
  }
}

test("memories of another model are not compared; how many is said, and words find them", async () => {
  await open();
  const space = { model: "voyage-code-3", dimension: 1024 };
  await remembering(harness, [comment(repository, "1"), ...smallTalk(repository, 9)], space);
  const { body } = await reviewed();
  expect(body).toMatch(FOUND);
  expect(body).toContain("- `stale-vectors`: 10 memories have vectors of another model (voyage-code-3, 1024 numbers)");
  expect(retrieved.at(-1)?.ranked.every(({ vectorRank }) => vectorRank === null)).toBe(true);
});
