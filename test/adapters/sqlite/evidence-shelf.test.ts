import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../../src/adapters/sqlite/database.ts";
import { sqliteEvidence } from "../../../src/adapters/sqlite/evidence-shelf.ts";
import { sqliteMemory } from "../../../src/adapters/sqlite/memory.ts";
import { openMemory } from "../../../src/adapters/sqlite/memory-file.ts";
import { anonymisePeople } from "../../../src/adapters/sqlite/person-erasure.ts";
import { findPerson, personRows } from "../../../src/adapters/sqlite/person-rows.ts";
import { QUEUE_MIGRATIONS } from "../../../src/adapters/sqlite/queue-schema.ts";
import { readRecord } from "../../../src/adapters/sqlite/read-record.ts";
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
    return open.records(scopeOf(), [FINDING.id]).map(readRecord)[0];
  } finally {
    open.close();
  }
};

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
