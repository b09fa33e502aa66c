// What the dashboard reads of memory, the same on each database.
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { storedEvidence } from "../../../src/store/memory/evidence.ts";
import { storedRejections } from "../../../src/store/memory/rejections.ts";
import { storedFigures } from "../../../src/store/memory/repositories.ts";
import { storedMemory } from "../../../src/store/memory/stored-memory.ts";
import { memoryRecord, SHOP, SPACE } from "../../adapters/contracts/memory.ts";
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from "../databases.ts";

const DAY = 24 * 60 * 60_000;
const NEIGHBOUR = "github.com/421";

figures("SQLite", await sqliteTestDatabase());
figures("PostgreSQL", await postgresTestDatabase());

function figures(name: string, given: TestDatabase | null): void {
  describe.skipIf(given === null)(`figures of memory on ${name}`, () => {
    if (given === null) return;
    const { db } = given;
    const shown = storedFigures(db);
    const memory = storedMemory(db, () => Promise.resolve());
    const finding = (number: number, repo = SHOP) =>
      memoryRecord(
        { repo, corpus: "finding", sourceId: `#${number}/fnd_${String(number).padStart(12, "0")}`, outcome: "posted" },
        { at: number },
      );
    const findings = [1, 2, 3].map((number) => finding(number));
    const elsewhere = finding(1, NEIGHBOUR);
    const comment = memoryRecord({ language: "Go", outcome: null }, { at: 9 });
    afterAll(() => given.close());
    beforeEach(async () => {
      for (const repo of [SHOP, NEIGHBOUR]) await memory.forgetRepository(repo);
      const rows = [...findings, elsewhere, comment].map((record) => ({ record, vector: null }));
      await memory.remember(rows, SPACE);
      const decided = (at: number) => ({ at, by: "wren", reason: "by design", sha: null, weight: "reason" }) as const;
      const evidence = storedEvidence(db);
      await evidence.decide(SHOP, [
        { memoryId: findings[0]?.id ?? "", outcome: "declined", decided: decided(DAY + 5), rejections: [] },
        { memoryId: findings[1]?.id ?? "", outcome: "declined", decided: decided(2 * DAY - 1), rejections: [] },
      ]);
      await evidence.decide(NEIGHBOUR, [
        { memoryId: elsewhere.id, outcome: "declined", decided: decided(3 * DAY), rejections: [] },
      ]);
    });

    test("findings are counted by outcome, and decisions by the day on which they fell", async () => {
      expect(await shown.findingOutcomes(SHOP)).toEqual([
        { outcome: "declined", count: 2 },
        { outcome: "posted", count: 1 },
      ]);
      expect(await shown.findingOutcomes(null)).toEqual([
        { outcome: "declined", count: 3 },
        { outcome: "posted", count: 1 },
      ]);
      expect(await shown.decidedDays(SHOP, 0)).toEqual([{ day: DAY, name: "declined", count: 2 }]);
      expect(await shown.decidedDays(null, 2 * DAY)).toEqual([{ day: 3 * DAY, name: "declined", count: 1 }]);
    });

    test("memories are listed newest first, a page at a time, by what one asks for", async () => {
      const all = { corpus: null, outcome: null, language: null };
      const newest = [comment, ...findings.toReversed()].map(({ id }) => ({ repo: SHOP, id }));
      expect(await shown.memories(SHOP, all, { skip: 0, most: 3 })).toEqual({ total: 4, ids: newest.slice(0, 3) });
      expect(await shown.memories(SHOP, all, { skip: 3, most: 3 })).toEqual({ total: 4, ids: newest.slice(3) });
      expect([await shown.memoryCount(SHOP), await shown.memoryCount("github.com/999")]).toEqual([4, 0]);
      const only = async (wish: Partial<typeof all> | object) =>
        (await shown.memories(SHOP, { ...all, ...wish }, { skip: 0, most: 9 })).ids;
      expect(await only({ language: "Go" })).toEqual([{ repo: SHOP, id: comment.id }]);
      expect(await only({ corpus: "finding", outcome: "posted" })).toEqual([{ repo: SHOP, id: findings[2]?.id }]);
      const everywhere = await shown.memories(null, { ...all, corpus: "finding" }, { skip: 0, most: 9 });
      expect(everywhere.total).toBe(4);
      expect(everywhere.ids).toContainEqual({ repo: NEIGHBOUR, id: elsewhere.id });
    });

    test("pull requests with decided findings are listed, the newest first", async () => {
      const [pull] = await shown.decidedPulls(SHOP, 5);
      expect(pull).toEqual({ repo: SHOP, pull: findings[0]?.provenance.pull, taken: 0, declined: 2, all: 3 });
      expect((await shown.decidedPulls(null, 5)).map(({ repo, declined }) => [repo, declined]).sort()).toEqual([
        [SHOP, 2],
        [NEIGHBOUR, 1],
      ]);
      expect(await shown.decidedPulls(null, 1)).toHaveLength(1);
    });

    test("rules are listed by how many of their findings were decided", async () => {
      const shape = { before: [1, 2, 3], at: [4, 5, 6, 7, 8, 9], after: [10, 11, 12] };
      const said = (records: readonly (typeof comment)[], rule: string | null) =>
        records.map(({ id }) => ({ memoryId: id, rule, shape }));
      const code = storedRejections(db);
      const [one, two, three] = findings as [typeof comment, typeof comment, typeof comment];
      await code.keep(
        SHOP,
        { reported: [...said([one, three], "loose"), ...said([two], null)], open: [], fixed: [] },
        9,
      );
      await code.keep(NEIGHBOUR, { reported: said([elsewhere], "loose"), open: [], fixed: [] }, 9);
      expect(await shown.decidedRules(SHOP, 5)).toEqual([{ rule: "loose", taken: 0, declined: 1, all: 2 }]);
      expect(await shown.decidedRules(null, 5)).toEqual([{ rule: "loose", taken: 0, declined: 2, all: 3 }]);
      await code.keep(SHOP, { reported: said([two, one], "strict"), open: [], fixed: [] }, 9);
      expect(await shown.decidedRules(SHOP, 5)).toEqual([{ rule: "strict", taken: 0, declined: 2, all: 2 }]);
      expect(await shown.decidedRules(null, 1)).toEqual([{ rule: "strict", taken: 0, declined: 2, all: 2 }]);
      expect(await shown.decidedRules(NEIGHBOUR, 5)).toEqual([{ rule: "loose", taken: 0, declined: 1, all: 1 }]);
    });
  });
}
