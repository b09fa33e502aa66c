// How long a gigabyte takes: brought up to date from the first schema, copied beside a server, and made a store again. SLOW=1 only.
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite from "better-sqlite3";
import { afterAll, expect, test } from "vitest";
import { backUpStore } from "../../../src/adapters/sqlite/backup.ts";
import { openDatabase } from "../../../src/adapters/sqlite/database.ts";
import { openMemory } from "../../../src/adapters/sqlite/memory-file.ts";
import { QUEUE_MIGRATIONS } from "../../../src/adapters/sqlite/queue-schema.ts";
import { restoreStore } from "../../../src/adapters/sqlite/restore.ts";
import { writeGolden } from "./kept-schemas.ts";

const SLOW = process.env.SLOW === "1";
if (!SLOW) console.warn("skipped: a gigabyte; SLOW=1 takes it");
const root = mkdtempSync(join(tmpdir(), "kodiai-gigabyte-"));
afterAll(() => rmSync(root, { recursive: true }));

/** As in reviews: a vocabulary of 20,000 words, the frequent ones often; from a seed. */
function text(seed: number, words: number): string {
  let state = seed * 2_654_435_761 + 1;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: words }, () => `word${Math.floor(20_000 * next() ** 3)}`).join(" ");
}

/** Half a gigabyte of written reviews and deliveries, in the first schema. */
function fillQueue(path: string): void {
  writeGolden("queue", 1, path);
  const db = new BetterSqlite(path);
  const review = db.prepare("INSERT INTO reviews VALUES (?, 'a', 'b', ?, 1, 2, 'posted')");
  const delivery = db.prepare("INSERT INTO deliveries VALUES (?, 'pull_request', 1, 'review', 'opened')");
  db.transaction(() => {
    const findings = text(1, 2_000);
    for (let n = 0; n < 26_000; n += 1)
      review.run(`github.com/42#${n + 100}`, `{"kind":"review","findings":[],"walkthrough":"${n} ${findings}"}`);
    for (let n = 0; n < 400_000; n += 1) delivery.run(`00000000-0000-4000-8000-${String(n).padStart(12, "0")}`);
  })();
  db.close();
}

/** Half a gigabyte of memories with their words, in the first schema. */
function fillMemory(path: string): void {
  writeGolden("memory", 1, path);
  const db = new BetterSqlite(path);
  const record = db.prepare(
    "INSERT INTO records (id, repo, mem, stale, pull, at, corpus, language, changed) VALUES (?, 1, ?, 0, 7, 1, 'finding', 'python', 1)",
  );
  const content = db.prepare(
    "INSERT INTO contents (id, source_id, repo_name, text, replies, tags, author_is_bot) VALUES (?, ?, 'acme/shop', ?, '[]', '[]', 0)",
  );
  const words = db.prepare("INSERT INTO words VALUES (?, ?, '', '', '')");
  db.transaction(() => {
    for (let n = 2; n < 170_000; n += 1) {
      const said = text(n, 110);
      record.run(n, `mem_${n.toString(16).padStart(12, "0")}`);
      content.run(n, `#7/f${n}`, said);
      words.run(n, said);
    }
  })();
  db.close();
}

async function timed(what: string, work: () => unknown): Promise<void> {
  const began = performance.now();
  await work();
  console.warn(`${what}: ${((performance.now() - began) / 1_000).toFixed(1)} s`);
}

test.runIf(SLOW)(
  "a gigabyte of the first schema is brought up to date, copied, and made a store again",
  async () => {
    const [home, copy, there] = ["home", "copy", "there"].map((name) => join(root, name)) as [string, string, string];
    mkdirSync(home);
    const [queue, memory] = [join(home, "queue.db"), join(home, "memory.db")];
    fillQueue(queue);
    fillMemory(memory);
    const mb = [queue, memory].map((path) => Math.round(statSync(path).size / 1e6));
    console.warn(`queue.db ${mb[0]} MB, memory.db ${mb[1]} MB`);
    await timed("brought up to date, with a copy of what was", () => {
      openDatabase(queue, QUEUE_MIGRATIONS).close();
      openMemory(memory).close();
    });
    await timed("backed up", () => backUpStore(home, copy, 1));
    await timed("restored", () => restoreStore(copy, there, 2));
    const db = openMemory(join(there, "memory.db"));
    expect(db.prepare("SELECT count(*) FROM contents").pluck().get()).toBe(169_999);
    db.close();
  },
  1_200_000,
);
