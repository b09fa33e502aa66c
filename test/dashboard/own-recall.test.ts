import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownRecall } from "../../src/dashboard/read-as-person.ts";
import { memoryId, type RepoKey } from "../../src/domain/memory.ts";
import type { Scope } from "../../src/domain/retrieval.ts";
import { openStore } from "../../src/wire/store.ts";
import { givenRecord } from "../learn/memory-builders.ts";

const SPACE = { model: "test", dimension: 64 };
const FILTER = {};

test("a person with write access to one repository sees nothing of another, nor what its owner shares with it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kodiai-own-"));
  const store = await openStore(folder);
  try {
    const other = {
      repo: "github.com/43",
      repoName: "acme/ledger",
      id: memoryId("github.com/43", "review_comment", "9"),
    };
    const mine = givenRecord();
    const theirs = { ...givenRecord({ sourceId: "9", text: "Only retry on timeouts, in the ledger too." }), ...other };
    const vector = new Float32Array(64).fill(1 / 8);
    await store.memory.remember(
      [mine, theirs].map((record) => ({ record, vector })),
      SPACE,
    );
    const scope = (repo: RepoKey, ownerPool: Scope["ownerPool"]): Scope => ({
      ...{ repo, ownerPool, excludePull: null, before: null },
    });
    const hear = async (recall: typeof store.recall, of: Scope) => ({
      nearest: ((await recall.nearest(of, [vector], SPACE, 9, FILTER))[0] ?? []).map(({ id }) => id).toSorted(),
      matching: ((await recall.matching(of, ["retry on timeouts"], 9, FILTER))[0] ?? []).map(({ id }) => id).toSorted(),
      records: (await recall.records(of, [mine.id, theirs.id])).map(({ id }) => id).toSorted(),
    });
    const person = ownRecall(store.recall, (of): of is RepoKey => of === "github.com/42");
    const all = (ids: readonly string[]) => ({ nearest: ids, matching: ids, records: ids });
    const shared = scope("github.com/42", { ownerId: 7, targetIsPublic: false });
    expect(await hear(store.recall, scope("github.com/43", null))).toEqual(all([theirs.id]));
    expect(await hear(person, shared)).toEqual(all([mine.id]));
    expect(await hear(person, scope("github.com/43", null))).toEqual(all([]));
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
