// Who may see what, by every way of searching: random histories of repositories, held against the
// rules written once more without SQL.
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { MemoryRecord } from "../../../src/domain/memory.ts";
import type { Scope } from "../../../src/domain/retrieval.ts";
import { storedRecall } from "../../../src/store/memory/recall.ts";
import { storedLabels } from "../../../src/store/memory/repositories.ts";
import { storedMemory } from "../../../src/store/memory/stored-memory.ts";
import { memoryRecord, SPACE, vectorAt } from "../../adapters/contracts/memory.ts";
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from "../databases.ts";

/** On a PostgreSQL each costs ten times as much. */
const HISTORIES = process.env.NIGHTLY === "1" ? { SQLite: 2_000, PostgreSQL: 2_000 } : { SQLite: 80, PostgreSQL: 15 };
if (process.env.NIGHTLY !== "1")
  console.warn("skipped: 1,920 of 2,000 histories on SQLite, 1,985 on PostgreSQL; NIGHTLY=1 runs all");
/** Before each look; what earlier histories left stays. */
const MOST_STEPS = 2;

type Visibility = MemoryRecord["visibility"];

/** What the rules say, written once more without SQL. */
interface Known {
  owner: number | null;
  visibility: Visibility;
  gives: boolean;
  readonly rows: Map<string, MemoryRecord>;
}

type Step =
  | {
      readonly do: "remember";
      readonly repo: number;
      readonly owner: number;
      readonly visibility: Visibility;
      readonly pull: number;
      readonly at: number;
      readonly stale: boolean;
      readonly of: number;
    }
  | { readonly do: "forget"; readonly repo: number; readonly of: number }
  | { readonly do: "forgetRepository"; readonly repo: number }
  | { readonly do: "give"; readonly repo: number; readonly gives: boolean }
  | { readonly do: "relabel"; readonly repo: number; readonly owner: number; readonly visibility: Visibility };

const HOSTS = ["github.com", "ghes.example"];
/** Eight repositories on two hosts, whose ids and owners mean different things on each. */
const keyOf = (repo: number) => `${HOSTS[repo % 2]}/${Math.floor(repo / 2)}`;
const strict = (one: Visibility, other: Visibility): Visibility =>
  [one, other].includes("private") ? "private" : [one, other].includes("internal") ? "internal" : "public";

const repo = fc.nat(7);
const owner = fc.nat(2);
const visibility = fc.constantFrom<Visibility>("public", "internal", "private");
const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant("remember" as const),
        repo,
        owner,
        visibility,
        pull: fc.nat(2),
        at: fc.nat(3),
        stale: fc.boolean(),
        of: fc.nat(3),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("forget" as const), repo, of: fc.nat(3) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("forgetRepository" as const), repo }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("relabel" as const), repo, owner, visibility }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("give" as const), repo, gives: fc.boolean() }) },
  ),
  { minLength: 1, maxLength: MOST_STEPS },
);
const scopes = fc.record({
  repo,
  pool: fc.option(fc.record({ ownerId: owner, targetIsPublic: fc.boolean() })),
  excludePull: fc.option(fc.nat(2)),
  before: fc.option(fc.nat(3)),
});

function admits(known: Known, key: string, record: MemoryRecord, scope: Scope): boolean {
  const own = key === scope.repo;
  const pool = scope.ownerPool;
  const shared =
    pool !== null &&
    key.split("/")[0] === scope.repo.split("/")[0] &&
    known.gives &&
    known.owner === pool.ownerId &&
    (!pool.targetIsPublic || known.visibility === "public");
  if (!own && !shared) return false;
  if (record.stale) return false;
  if (own && scope.excludePull !== null && record.provenance.pull === scope.excludePull) return false;
  return scope.before === null || record.provenance.at < scope.before;
}

for (const [name, given] of [
  ["SQLite", await sqliteTestDatabase()],
  ["PostgreSQL", await postgresTestDatabase()],
] as const) {
  describe.skipIf(given === null)(name, () => {
    const db = (given as TestDatabase | null)?.db as TestDatabase["db"];
    afterAll(() => given?.close());

    test(`no search ever returns what its scope does not admit, and each returns all it admits (${HISTORIES[name]} histories) [000-28][T15]`, async () => {
      await db.run("DELETE FROM repositories");
      const memory = storedMemory(db, () => Promise.resolve());
      const labels = storedLabels(db);
      const searches = [
        storedRecall(db, null),
        storedRecall(db, null, { rowsInDatabase: 0 }),
        // Room for two of the eight repositories at a time.
        storedRecall(db, null, { rowsInDatabase: 0, memoryBytes: 30_000 }),
      ];
      const all = new Map<string, Known>();
      await fc.assert(
        fc.asyncProperty(steps, scopes, async (history, wanted) => {
          for (const step of history) await take(step);
          const scope: Scope = {
            repo: keyOf(wanted.repo),
            ownerPool: wanted.pool,
            excludePull: wanted.excludePull,
            before: wanted.before,
          };
          const expected = [...all]
            .flatMap(([key, known]) => [...known.rows.values()].filter((record) => admits(known, key, record, scope)))
            .map((record) => record.id)
            .sort();
          const everyId = [...all.values()].flatMap((known) => [...known.rows.keys()]);
          for (const search of searches) {
            const ids = (hits: readonly { readonly id: string }[]) => hits.map((hit) => hit.id).sort();
            expect(ids((await search.nearest(scope, [vectorAt(0)], SPACE, 100, {})).flat())).toEqual(expected);
            expect(ids((await search.matching(scope, ["canary"], 100, {})).flat())).toEqual(expected);
            expect(ids(await search.records(scope, everyId))).toEqual(expected);
            expect((await search.counts(scope)).total).toBe(expected.length);
          }
        }),
        { numRuns: HISTORIES[name], endOnFailure: true },
      );

      async function take(step: Step): Promise<void> {
        const key = keyOf(step.repo);
        const known = all.get(key);
        if (step.do === "forgetRepository") {
          all.delete(key);
          await memory.forgetRepository(key);
        } else if (step.do === "relabel") {
          const [host, id] = key.split("/") as [string, string];
          await labels.relabel({
            host,
            id: Number(id),
            ownerId: step.owner,
            owner: "o",
            name: "n",
            visibility: step.visibility,
          });
          // What one owner gave is not the next one's.
          if (known !== undefined) {
            const gives = known.gives && known.owner === step.owner;
            Object.assign(known, { owner: step.owner, visibility: step.visibility, gives });
          }
        } else if (step.do === "give") {
          // Of a repository that is not known yet nobody can tell its owner here: others tests
          // enter it by giving.
          if (known === undefined || known.owner === null) return;
          const [host, id] = key.split("/") as [string, string];
          const { owner: ownerId, visibility: seen } = known;
          await labels.give({ host, id: Number(id), ownerId, owner: "o", name: "n", visibility: seen }, step.gives);
          known.gives = step.gives;
        } else {
          const record = memoryRecord(
            {
              repo: key,
              sourceId: `s${step.of}`,
              text: `canary of ${key}`,
              ...(step.do === "remember"
                ? { ownerId: step.owner, visibility: step.visibility, stale: step.stale }
                : {}),
            },
            step.do === "remember" ? { pull: step.pull, at: step.at } : {},
          );
          if (step.do === "forget") {
            known?.rows.delete(record.id);
            await memory.forget(key, [record.id]);
            return;
          }
          const label = known ?? { owner: step.owner, visibility: step.visibility, gives: false, rows: new Map() };
          if (label.owner !== step.owner) Object.assign(label, { owner: null, gives: false });
          label.visibility = strict(label.visibility, step.visibility);
          label.rows.set(record.id, record);
          all.set(key, label);
          await memory.remember([{ record, vector: vectorAt(step.of) }], SPACE);
        }
      }
    });

    test("a repository that moved, was made private or has a namesake is seen only by those who may see it now [T16]", async () => {
      const memory = storedMemory(db, () => Promise.resolve());
      const labels = storedLabels(db);
      const search = storedRecall(db, null);
      const record = memoryRecord({ repo: "github.com/200", visibility: "public" });
      await memory.remember([{ record, vector: null }], SPACE);
      const shop = {
        host: "github.com",
        id: 200,
        ownerId: 9,
        owner: "acme",
        name: "shop",
        visibility: "public" as const,
      };
      await labels.give(shop, true);
      const seenBy = async (ownerId: number, targetIsPublic: boolean) => {
        const pool = { ownerId, targetIsPublic };
        const scope = { repo: "github.com/100", ownerPool: pool, excludePull: null, before: null };
        return (await search.matching(scope, ["handshake"], 5, {})).flat().length;
      };
      expect([await seenBy(9, true), await seenBy(9, false), await seenBy(8, true)]).toEqual([1, 1, 0]);
      const now = { ...shop, visibility: "private" as const };
      await labels.relabel(now);
      expect([await seenBy(9, true), await seenBy(9, false), await seenBy(8, false)]).toEqual([0, 1, 0]);
      // A job that is older than the change does not undo it.
      await memory.remember([{ record, vector: null }], SPACE);
      expect(await seenBy(9, true)).toBe(0);
      await labels.relabel({ ...now, ownerId: 8, visibility: "public" });
      // What one owner gave the next one does not give.
      expect([await seenBy(9, false), await seenBy(8, true)]).toEqual([0, 0]);
      await labels.give({ ...now, ownerId: 8 }, true);
      expect([await seenBy(9, false), await seenBy(8, true)]).toEqual([0, 1]);
      // Nor does it give the repository back to its old owner; in doubt it is nobody's.
      await memory.remember([{ record, vector: null }], SPACE);
      expect([await seenBy(9, false), await seenBy(8, false)]).toEqual([0, 0]);
      // Made again under the same name: another id, and nothing remembered.
      const namesake = { repo: "github.com/300", ownerPool: null, excludePull: null, before: null };
      expect((await search.counts(namesake)).total).toBe(0);
    });
  });
}
