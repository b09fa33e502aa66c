// A store as a command opens it, in no hurry: what is near but out of scope, or not asked for,
// takes no place among the best.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MemoryRecord } from "../../src/domain/memory.ts";
import type { MemoryFilter, Scope } from "../../src/domain/retrieval.ts";
import { ROWS_IN_DATABASE } from "../../src/search/memory-search.ts";
import { openStore, type Store } from "../../src/wire/store.ts";
import { memoryRecord, SPACE, scopeOf, vectorAt } from "../adapters/contracts/memory.ts";

const K = 5;
/**
 * More than the search fetches beyond what is asked for: if it did not leave them out itself, it
 * would find none of the others.
 */
const MANY = 100;
const NOW = 1_700_000_000_000;

/** Nearest first: how far each kind is from what is asked for (radians), and what it is. */
const KINDS: readonly (readonly [kind: string, lean: number, Partial<MemoryRecord>, { pull?: number; at?: number }])[] =
  [
    ["another repository's", 0.05, { repo: "github.com/43", repoName: "acme/pay" }, {}],
    ["of the pull request itself", 0.15, {}, { pull: 8 }],
    ["later", 0.25, {}, { at: NOW }],
    ["documents", 0.35, { corpus: "doc" }, {}],
    ["comments", 0.45, {}, {}],
  ];

describe.each([
  ["compared in the database", 0],
  ["compared in memory", ROWS_IN_DATABASE],
])("of memories that are %s", (_, more) => {
  let folder: string;
  let store: Store;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "kodiai-defaults-"));
    store = await openStore(folder, { isCommand: true });
    const rows = KINDS.flatMap(([kind, lean, over, from]) =>
      Array.from({ length: kind === "comments" ? MANY + more : MANY }, (_, at) => ({
        record: memoryRecord({ sourceId: `${kind} ${at}`, ...over }, { at: NOW - 1_000, ...from }),
        vector: vectorAt(0, lean),
      })),
    );
    await store.memory.remember(rows, SPACE);
  });
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each<[string, Partial<Scope>, MemoryFilter, string]>([
    ["another repository's", {}, {}, "of the pull request itself"],
    ["those of the pull request itself", { excludePull: 8 }, {}, "later"],
    ["later ones", { excludePull: 8, before: NOW }, {}, "documents"],
    ["what the filter does not admit", {}, { corpora: ["doc"] }, "documents"],
    ["whatever else is out", { excludePull: 8, before: NOW }, { corpora: ["review_comment"] }, "comments"],
  ])("%s: none takes a place among the best [000-29]", async (_, scope, filter, best) => {
    const [hits = []] = await store.recall.nearest(scopeOf(scope), [vectorAt(0)], SPACE, K, filter);
    const ids = hits.map(({ id }) => id);
    const records = await store.recall.records(scopeOf(scope), ids);
    expect(records.map(({ sourceId }) => sourceId.replace(/ \d+$/, ""))).toEqual(Array(K).fill(best));
  });
});
