// Disks rot. Whatever happens to a byte, a page or the end of a file: nobody sees another's rows,
// what is there is never quietly begun again, and every refusal says what to do.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { StoreUnusable } from "../../../src/domain/errors.ts";
import type { Scope } from "../../../src/domain/retrieval.ts";
import { storedRecall } from "../../../src/store/memory/recall.ts";
import { openSqlite } from "../../../src/store/sqlite.ts";
import { openStore, type Store } from "../../../src/wire/store.ts";
import { review } from "../../adapters/contracts/ledger.ts";
import { memoryRecord, SPACE, scopeOf, vectorAt } from "../../adapters/contracts/memory.ts";
import { reviewJob } from "../../adapters/contracts/queue.ts";

const CASES = process.env.NIGHTLY === "1" ? 300 : 60;
if (CASES < 300) console.warn("skipped: 240 of 300 corruptions; NIGHTLY=1 makes all");

const root = mkdtempSync(join(tmpdir(), "kodiai-corruption-"));
afterAll(() => rmSync(root, { recursive: true }));
const whole = join(root, "whole");
const PAGE = 4096;
const TENANTS = [42, 43] as const;
const ROWS = 30;

beforeAll(async () => {
  const store = await openStore(whole);
  for (const id of TENANTS) {
    for (let n = 0; n < ROWS; n += 1) {
      await store.ledger.save(reviewJob(n, "a", id), { ...review(`h${n}`), number: n }, 1);
      await store.queue.add(reviewJob(n, "a", id), 1);
      const place = { repo: `github.com/${id}`, repoName: `acme/r${id}`, ownerId: id };
      const record = memoryRecord({ ...place, text: `handshake canary-${id} number ${n}` });
      await store.memory.remember([{ record, vector: vectorAt(n % 8) }], SPACE);
    }
  }
  await store.close();
});

const corruption = fc.record({
  file: fc.constantFrom("queue.db", "memory.db"),
  kind: fc.constantFrom("bit", "page header", "zero page", "truncate", "header"),
  /** A share of the file; evenly, where fast-check would like its beginning best. */
  where: fc.noBias(fc.nat({ max: 999_999 })).map((n) => n / 1e6),
  bit: fc.nat({ max: 7 }),
  junk: fc.uint8Array({ minLength: 8, maxLength: 8 }),
});
type Corruption = typeof corruption extends fc.Arbitrary<infer T> ? T : never;

function spoil(path: string, { kind, where, bit, junk }: Corruption): void {
  const { size } = statSync(path);
  const bytes = readFileSync(path);
  const page = Math.floor(where * (size / PAGE)) * PAGE;
  const at = Math.floor(where * size);
  if (kind === "truncate") {
    truncateSync(path, at);
    return;
  }
  if (kind === "bit") bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  if (kind === "page header") bytes.set(junk, page === 0 ? 100 : page);
  if (kind === "zero page") bytes.fill(0, page, page + PAGE);
  if (kind === "header") bytes.set(junk, Math.floor(where * 92));
  writeFileSync(path, bytes);
}

const reasons = new Map<string, number>();
function count(what: string): void {
  reasons.set(what, (reasons.get(what) ?? 0) + 1);
}

/** Opens what is left as a server does, and reads all of it as both tenants. */
async function live(folder: string, one: Corruption): Promise<void> {
  let store: Store;
  try {
    store = await openStore(folder, { isChecked: true });
  } catch (error) {
    expect(error).toBeInstanceOf(StoreUnusable);
    expect((error as Error).message).toMatch(/restore a backup \(kodiai restore DIR\)|Upgrade Kodiai/);
    expect(one.file).toBe("queue.db");
    return count(`${one.kind} of queue.db: refused`);
  }
  try {
    if (one.file === "queue.db") {
      // Opened: then it was not begun again.
      expect((await store.queue.counts()).waiting).toBeGreaterThan(ROWS);
      for (const id of TENANTS) for (let n = 0; n < ROWS; n += 1) await readReview(store, n, id);
      return count(`${one.kind} of queue.db: read`);
    }
    if (store.memoryProblem !== null) {
      expect(store.memoryProblem.message).toMatch(/restore a backup|Restore a backup|Upgrade Kodiai/);
      await expect(store.memory.known("github.com/42", "finding", SPACE, null)).rejects.toThrow(/kodiai doctor/);
      return count(`${one.kind} of memory.db: reviews go on without`);
    }
    count(`${one.kind} of memory.db: read`);
    expect(await retrieved(join(folder, "memory.db"))).toBeGreaterThan(0);
  } finally {
    await store.close().catch(() => {});
  }
}

async function readReview(store: Store, n: number, id: number): Promise<void> {
  try {
    const found = await store.ledger.unsent(reviewJob(n, "a", id));
    if (found !== null) expect(found.number).toBe(n);
  } catch (error) {
    // A bit inside a text: it is no JSON any more, and the job that wants it is parked.
    expect(error).toBeInstanceOf(Error);
    if (error instanceof Error && error.name === "AssertionError") throw error;
  }
}

/** How many memories can be found; throws when one of them is another's. */
async function retrieved(path: string): Promise<number> {
  let found = 0;
  const db = openSqlite(path, { now: Date.now, isReader: true, vectors: "installed" });
  const recall = storedRecall(db, null);
  for (const id of TENANTS) {
    // Sharing is on: it reaches what belongs to the same owner and no further.
    const scope = scopeOf({ repo: `github.com/${id}`, ownerPool: { ownerId: id, targetIsPublic: false } });
    for (const text of await ask(recall, scope)) {
      found += 1;
      for (const other of TENANTS) if (other !== id) expect(text).not.toContain(`canary-${other}`);
    }
  }
  await db.close();
  return found;
}

/**
 * The texts that any way of asking gives. What cannot be read is an error, which a review says at
 * its foot.
 */
async function ask(recall: Store["recall"], asked: Scope): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (const find of [
    () => recall.matching(asked, ["handshake canary"], 100, {}),
    () => recall.nearest(asked, [vectorAt(0)], SPACE, 100, {}),
  ]) {
    try {
      for (const { id } of (await find()).flat()) ids.add(id);
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
    }
  }
  try {
    return (await recall.records(asked, [...ids])).map((record) => JSON.stringify(record));
  } catch {
    return [];
  }
}

test("damaged bytes are refused with the fix, or read by the owner of the page [R15]", async () => {
  for (const [n, one] of fc.sample(corruption, { numRuns: CASES, seed: 15 }).entries()) {
    const folder = join(root, `case-${n}`);
    mkdirSync(folder);
    for (const file of ["queue.db", "memory.db"]) copyFileSync(join(whole, file), join(folder, file));
    spoil(join(folder, one.file), one);
    const before = statSync(join(folder, one.file)).size;
    await live(folder, one);
    // Nothing that could still be rescued was thrown away.
    expect(existsSync(join(folder, one.file)) && statSync(join(folder, one.file)).size >= before - PAGE).toBe(true);
    rmSync(folder, { recursive: true });
  }
  console.info(
    [...reasons]
      .map(([what, times]) => `${times} × ${what}`)
      .sort()
      .join("; "),
  );
  expect([...reasons.keys()].filter((what) => what.endsWith("refused")).length).toBeGreaterThan(2);
});

test("an empty file is no new store: what it held is missed [R15]", async () => {
  const folder = join(root, "empty");
  await (await openStore(folder)).close();
  writeFileSync(join(folder, "queue.db"), "");
  await expect(openStore(folder, { isChecked: true })).rejects.toThrow(/queue\.db is empty: what it held is lost/);
});

test("a process that was killed in its first start leaves a folder in which the next one starts [R15]", async () => {
  const folder = join(root, "unbegun");
  for (const left of ["queue.db", "memory.db"]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, left), "");
    const store = await openStore(folder, { isChecked: true });
    expect(store.memoryProblem).toBeNull();
    await store.close();
    rmSync(join(folder, "memory.db"));
  }
  // What was used and is empty now was lost.
  const used = await openStore(folder);
  await used.queue.add(reviewJob(1, "a", 42), 1);
  await used.close();
  writeFileSync(join(folder, "memory.db"), "");
  const without = await openStore(folder, { isChecked: true });
  expect(without.memoryProblem?.message).toContain("is empty: what it held is lost");
  await without.close();
  writeFileSync(join(folder, "queue.db"), "");
  await expect(openStore(folder, { isChecked: true })).rejects.toThrow("is empty: what it held is lost");
});
