import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openDatabase } from "../../../src/adapters/sqlite/database.ts";
import { sqliteEvidence } from "../../../src/adapters/sqlite/evidence-shelf.ts";
import { sqliteFeedbackBook } from "../../../src/adapters/sqlite/feedback-book.ts";
import { sqliteMemory } from "../../../src/adapters/sqlite/memory.ts";
import { openMemory } from "../../../src/adapters/sqlite/memory-file.ts";
import { anonymisePeople } from "../../../src/adapters/sqlite/person-erasure.ts";
import { findPerson, personRows } from "../../../src/adapters/sqlite/person-rows.ts";
import { QUEUE_MIGRATIONS } from "../../../src/adapters/sqlite/queue-schema.ts";
import { DEFAULT_LIMITS, openSearch } from "../../../src/adapters/sqlite/search-memory.ts";
import { loginHash } from "../../../src/adapters/sqlite/tombstones.ts";
import { evidenceContract } from "../contracts/evidence-shelf.ts";
import { memoryRecord, SHOP, SPACE, scopeOf, vectorAt } from "../contracts/memory.ts";
import { openSqliteShelf } from "./open-shelf.ts";

evidenceContract("the SQLite shelf", openSqliteShelf);

const FINDING = memoryRecord({ corpus: "finding", sourceId: "#7/fnd_0123456789ab", outcome: "posted" });

let folder: string;
let db: ReturnType<typeof openMemory>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "kodiai-evidence-"));
  db = openMemory(join(folder, "memory.db"));
  await sqliteMemory(db).remember([{ record: FINDING, vector: vectorAt(3) }], SPACE);
});
afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

const search = () => openSearch(join(folder, "memory.db"), DEFAULT_LIMITS);
const found = () => {
  const open = search();
  try {
    return open.records(scopeOf(), [FINDING.id])[0];
  } finally {
    open.close();
  }
};

describe("which pull requests are looked at", () => {
  const DAY = 24 * 60 * 60_000;
  const NOW = 400 * DAY;
  const HOUR = DAY / 24;
  const job = (number: number) => ({
    kind: "review",
    key: `github.com/42#${number}`,
    installationId: 7,
    number,
    repo: { host: "github.com", id: 42, ownerId: 9, owner: "acme", name: "shop", visibility: "private" },
  });

  test("those with a posted review of the last 30 days, an hour after it or the last look, and once after their end", async () => {
    const queue = openDatabase(":memory:", QUEUE_MIGRATIONS);
    const review = (number: number, settledAt: number, outcome: string) => {
      const { key } = job(number);
      queue
        .prepare("INSERT INTO jobs (key, lane, job, state, run_at, created_at) VALUES (?, 'review', ?, 'done', 0, 0)")
        .run(key, JSON.stringify(job(number)));
      queue
        .prepare(
          "INSERT INTO reviews (key, head_sha, base_sha, review, written_at, settled_at, outcome) VALUES (?, ?, 'b', '{}', 0, ?, ?)",
        )
        .run(key, String(settledAt), settledAt, outcome);
    };
    review(1, NOW - 2 * HOUR, "posted");
    review(2, NOW - HOUR / 2, "posted");
    review(3, NOW - 31 * DAY, "posted");
    review(4, NOW - 2 * HOUR, "overtaken");
    const book = sqliteFeedbackBook(queue);
    const due = async (now: number, most = 50) => (await book.due(now, HOUR, most)).map(({ number }) => number);
    expect(await due(NOW)).toEqual([1]);
    expect((await book.due(NOW, HOUR, 50))[0]).toMatchObject({ key: "github.com/42:feedback#1", installationId: 7 });
    await book.looked({ repo: job(1).repo as never, number: 1 }, NOW, false);
    expect(await due(NOW + HOUR / 2)).toEqual([2]);
    expect(await due(NOW + 2 * HOUR)).toEqual([2, 1]);
    expect(await due(NOW + 2 * HOUR, 1)).toEqual([2]);
    await book.looked({ repo: job(1).repo as never, number: 1 }, NOW + HOUR, true);
    expect(await due(NOW + 9 * HOUR)).toEqual([2]);
    review(1, NOW + 2 * HOUR, "posted");
    expect(await due(NOW + 9 * HOUR)).toEqual([2, 1]);
    queue.close();
  });
});

test("an erased person is nobody in what speaks against a finding and in code that was kept", async () => {
  const shelf = sqliteEvidence(db);
  const queue = openDatabase(join(folder, "queue.db"), QUEUE_MIGRATIONS);
  await shelf.keepFixes(SHOP, [{ memoryId: FINDING.id, flaggedCode: "// ask @wren", fixedCode: "// asked @wrenly" }]);
  const one = { isWriter: true, reason: "as @wren said", url: "https://x.test", at: 5 };
  const against = [
    { ...one, by: "Wren" },
    { ...one, by: "vera" },
  ];
  await shelf.decide(SHOP, [{ memoryId: FINDING.id, outcome: "declined", decided: null, against }]);
  const asked = { ids: new Set<number>(), loginHashes: new Set([loginHash("wren")]) };
  const person = findPerson(asked, queue, db);
  expect(personRows(person, queue, db).filter(({ kept }) => kept === "memory.db/against")).toHaveLength(1);
  await anonymisePeople(asked, false, queue, db);
  expect(personRows(person, queue, db)).toEqual([]);
  expect(db.prepare("SELECT by, reason, url FROM against ORDER BY by").all()).toEqual([
    { by: "ghost-0", reason: "as @ghost said", url: null },
    { by: "vera", reason: "as @ghost said", url: "https://x.test" },
  ]);
  expect(found()).toMatchObject({ flaggedCode: "// ask @ghost", fixedCode: "// asked @wrenly" });
  queue.close();
});
