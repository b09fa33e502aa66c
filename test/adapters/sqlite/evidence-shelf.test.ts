import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openDatabase } from "../../../src/adapters/sqlite/database.ts";
import { sqliteEvidence } from "../../../src/adapters/sqlite/evidence-shelf.ts";
import { sqliteMemory } from "../../../src/adapters/sqlite/memory.ts";
import { openMemory } from "../../../src/adapters/sqlite/memory-file.ts";
import { anonymisePeople } from "../../../src/adapters/sqlite/person-erasure.ts";
import { findPerson, personRows } from "../../../src/adapters/sqlite/person-rows.ts";
import { QUEUE_MIGRATIONS } from "../../../src/adapters/sqlite/queue-schema.ts";
import { sqliteRejections } from "../../../src/adapters/sqlite/rejections.ts";
import { DEFAULT_LIMITS, openSearch } from "../../../src/adapters/sqlite/search-memory.ts";
import { loginHash } from "../../../src/adapters/sqlite/tombstones.ts";
import type { Evidence } from "../../../src/domain/evidence.ts";
import type { Rejection } from "../../../src/domain/rejections.ts";
import { recordLine, rowRecord } from "../../../src/learn/learn.ts";
import { memoryRecord, SHOP, SPACE, scopeOf, vectorAt } from "../contracts/memory.ts";

const FINDING = memoryRecord({ corpus: "finding", sourceId: "#7/fnd_0123456789ab", outcome: "posted" });
const DECIDED = { at: Date.UTC(2026, 5, 1), by: "wren", reason: "by design", sha: null, weight: "reason" } as const;

function said(over: Partial<Evidence> = {}): Evidence {
  return {
    memoryId: FINDING.id,
    key: "reply:1",
    kind: "reply",
    stance: "declines",
    by: { id: 5, login: "wren", access: "write", isBot: false, isFirstTime: false },
    at: 1_000,
    text: "by design",
    url: "https://github.com/acme/shop/pull/7#discussion_r1",
    sha: null,
    withdrawnAt: null,
    ...over,
  };
}

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

describe("evidence", () => {
  test("an act counts as it was first seen, and can be taken back and given again", async () => {
    const shelf = sqliteEvidence(db);
    expect(
      await shelf.add(SHOP, [said(), said({ key: "reaction:2", kind: "thumbs-up", stance: null, by: null })]),
    ).toBe(2);
    expect(await shelf.add(SHOP, [said({ text: "edited", at: 5 })])).toBe(0);
    expect((await shelf.evidence(SHOP, 7)).map(({ key, text, by }) => [key, text, by?.login])).toEqual([
      ["reaction:2", "by design", undefined],
      ["reply:1", "by design", "wren"],
    ]);
    await shelf.withdraw(SHOP, [said()], 9_000);
    const [, gone] = await shelf.evidence(SHOP, 7);
    expect(gone).toEqual(said({ withdrawnAt: 9_000 }));
    await shelf.add(SHOP, [said()]);
    expect((await shelf.evidence(SHOP, 7))[1]?.withdrawnAt).toBeNull();
  });

  test("belongs to one repository and goes with its memory", async () => {
    const shelf = sqliteEvidence(db);
    expect(await shelf.add("github.com/43", [said()])).toBe(0);
    await shelf.add(SHOP, [said()]);
    expect(await shelf.evidence("github.com/43", 7)).toEqual([]);
    expect(await shelf.findings(SHOP, 7)).toEqual([
      {
        id: FINDING.id,
        findingId: "fnd_0123456789ab",
        severity: "major",
        category: "reliability",
        path: FINDING.path,
        sha: "a".repeat(40),
        hasFix: false,
      },
    ]);
    await sqliteMemory(db).forget(SHOP, [FINDING.id]);
    expect(await shelf.evidence(SHOP, 7)).toEqual([]);
    expect(db.prepare("SELECT count(*) FROM evidence").pluck().get()).toBe(0);
  });
});

describe("outcomes", () => {
  const decide = (decided: typeof DECIDED | null) =>
    sqliteEvidence(db).decide(SHOP, [
      { memoryId: FINDING.id, outcome: decided ? "declined" : "posted", decided, against: [] },
    ]);

  test("are read with the record and counted at once; words and vector stay; the same again changes nothing", async () => {
    const open = search();
    const before = open.version(SHOP);
    expect(open.counts(scopeOf()).byOutcome.get("posted")).toBe(1);
    expect(await decide(DECIDED)).toBe(1);
    expect(await decide(DECIDED)).toBe(0);
    expect(open.version(SHOP)).toBeGreaterThan(before);
    expect(open.counts(scopeOf()).byOutcome.get("declined")).toBe(1);
    expect(open.records(scopeOf(), [FINDING.id])[0]).toMatchObject({ outcome: "declined", decided: DECIDED });
    expect(open.nearest(scopeOf(), vectorAt(3), SPACE, 5, {}).map(({ id }) => id)).toEqual([FINDING.id]);
    open.close();
    await decide(null);
    expect(found()).toMatchObject({ outcome: "posted" });
    expect(found()).not.toHaveProperty("decided");
  });

  test("outlive a finding that is posted and remembered again, and an export and import elsewhere", async () => {
    await decide(DECIDED);
    await sqliteMemory(db).remember([{ record: FINDING, vector: null }], SPACE);
    const record = found();
    expect(record).toMatchObject({ outcome: "declined", decided: DECIDED });
    const back = rowRecord(recordLine(record ?? FINDING), {} as never);
    expect(back).toMatchObject({ outcome: "declined", decided: DECIDED });
    await sqliteMemory(db).forget(SHOP, [FINDING.id]);
    await sqliteMemory(db).remember([{ record: back as typeof FINDING, vector: null }], SPACE);
    expect(found()).toMatchObject({ outcome: "declined", decided: DECIDED });
  });
});

test("flagged and fixed code outlive a finding that is remembered again, and go with it", async () => {
  const shelf = sqliteEvidence(db);
  const pair = { flaggedCode: "conn->send(frame);", fixedCode: "if (conn) conn->send(frame);" };
  await shelf.keepFixes("github.com/43", [{ memoryId: FINDING.id, ...pair }]);
  expect(found()).not.toHaveProperty("fixedCode");
  await shelf.keepFixes(SHOP, [{ memoryId: FINDING.id, ...pair }]);
  await sqliteMemory(db).remember([{ record: FINDING, vector: null }], SPACE);
  expect(found()).toMatchObject(pair);
  expect((await shelf.findings(SHOP, 7))[0]?.hasFix).toBe(true);
  expect(await shelf.pullOf(SHOP, FINDING.id)).toBe(7);
  expect(await shelf.pullOf("github.com/43", FINDING.id)).toBeNull();
  await sqliteMemory(db).forget(SHOP, [FINDING.id]);
  expect(db.prepare("SELECT count(*) FROM contents WHERE fixed_code IS NOT NULL").pluck().get()).toBe(0);
});

test("who speaks against a finding is written anew each time, and stands beside what commands said", async () => {
  const shelf = sqliteEvidence(db);
  const kept = sqliteRejections(db);
  const against = (...each: Rejection[]) =>
    shelf.decide(SHOP, [{ memoryId: FINDING.id, outcome: "declined", decided: null, against: each }]);
  const by = (login: string, more: Partial<Rejection> = {}): Rejection => {
    return { by: login, isWriter: true, reason: null, url: null, at: 5, ...more };
  };
  await against(by("wren", { reason: "by design" }), by("vera", { isReaction: true }));
  await kept.reject(SHOP, FINDING.id, by("vera", { at: 7 }));
  await kept.reject(SHOP, FINDING.id, by("wren", { at: 8 }));
  // Of each person what says most: a reason, else words, else a reaction.
  expect((await kept.rejected(SHOP))[0]?.each).toEqual([by("wren", { reason: "by design" }), by("vera", { at: 7 })]);
  await against(by("ines", { isReaction: true }));
  expect((await kept.rejected(SHOP))[0]?.each).toEqual([
    by("ines", { isReaction: true }),
    by("vera", { at: 7 }),
    by("wren", { at: 8 }),
  ]);
  expect(await kept.rejected("github.com/43")).toEqual([]);
  expect(await kept.restore(SHOP, FINDING.id)).toBe(3);
  expect(await kept.rejected(SHOP)).toEqual([]);
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
