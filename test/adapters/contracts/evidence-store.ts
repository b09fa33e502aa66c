import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Evidence } from "../../../src/domain/memory/evidence.ts";
import type { Rejection } from "../../../src/domain/memory/rejections.ts";
import { exportLine, rowRecord } from "../../../src/learn/learn.ts";
import { memoryRecord, SHOP, SPACE, scopeOf, vectorAt } from "./memory.ts";
import type { OpenMemory, OpenMemoryPorts } from "./memory-ports.ts";

const FINDING = memoryRecord({ corpus: "finding", sourceId: "#7/fnd_0123456789ab", outcome: "posted" });
const DECIDED = { at: Date.UTC(2026, 5, 1), by: "wren", reason: "by design", sha: null, weight: "reason" } as const;

function said(over: Partial<Evidence> = {}): Evidence {
  return {
    memoryId: FINDING.id,
    key: "reply:1",
    kind: "reply",
    stance: "declines",
    by: { id: 5, login: "wren", access: "write", isBot: false },
    at: 1_000,
    text: "by design",
    url: "https://github.com/acme/shop/pull/7#discussion_r1",
    sha: null,
    withdrawnAt: null,
    ...over,
  };
}

/** What every shelf of evidence promises. */
export function evidenceContract(name: string, open: OpenMemory): void {
  describe(`${name} keeps the promises of an evidence store`, () => {
    let opened: OpenMemoryPorts;
    beforeEach(async () => {
      opened = await open();
      await opened.memory.remember([{ record: FINDING, vector: vectorAt(3) }], SPACE);
    });
    afterEach(() => opened.close());
    const found = async () => (await opened.recall.records(scopeOf(), [FINDING.id]))[0];

    describe("evidence", () => {
      test("an act counts as it was first seen, and can be taken back and given again", async () => {
        const memoryPorts = opened.evidence;
        expect(
          await memoryPorts.add(SHOP, [said(), said({ key: "reaction:2", kind: "thumbs-up", stance: null, by: null })]),
        ).toBe(2);
        expect(await memoryPorts.add(SHOP, [said({ text: "edited", at: 5 })])).toBe(0);
        expect((await memoryPorts.evidence(SHOP, 7)).map(({ key, text, by }) => [key, text, by?.login])).toEqual([
          ["reaction:2", "by design", undefined],
          ["reply:1", "by design", "wren"],
        ]);
        await memoryPorts.withdraw(SHOP, [said()], 9_000);
        const [, removed] = await memoryPorts.evidence(SHOP, 7);
        expect(removed).toEqual(said({ withdrawnAt: 9_000 }));
        await memoryPorts.add(SHOP, [said()]);
        expect((await memoryPorts.evidence(SHOP, 7))[1]?.withdrawnAt).toBeNull();
      });

      test("belongs to one repository and goes with its memory", async () => {
        const memoryPorts = opened.evidence;
        expect(await memoryPorts.add("github.com/43", [said()])).toBe(0);
        await memoryPorts.add(SHOP, [said()]);
        expect(await memoryPorts.evidence("github.com/43", 7)).toEqual([]);
        expect(await memoryPorts.findings(SHOP, 7)).toEqual([
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
        await opened.memory.forget(SHOP, [FINDING.id]);
        expect(await memoryPorts.evidence(SHOP, 7)).toEqual([]);
        expect(await opened.count("evidence")).toBe(0);
      });
    });

    describe("outcomes", () => {
      const decide = (decided: typeof DECIDED | null) =>
        opened.evidence.decide(SHOP, [
          { memoryId: FINDING.id, outcome: decided ? "declined" : "posted", decided, rejections: [] },
        ]);

      test("are read with the record and counted at once; words and vector stay; the same again changes nothing", async () => {
        const { recall } = opened;
        const before = await recall.version(SHOP);
        expect((await recall.counts(scopeOf())).byOutcome.get("posted")).toBe(1);
        expect(await decide(DECIDED)).toBe(1);
        expect(await decide(DECIDED)).toBe(0);
        expect(await recall.version(SHOP)).toBeGreaterThan(before);
        expect((await recall.counts(scopeOf())).byOutcome.get("declined")).toBe(1);
        expect((await recall.records(scopeOf(), [FINDING.id]))[0]).toMatchObject({
          outcome: "declined",
          decided: DECIDED,
        });
        expect((await recall.nearest(scopeOf(), [vectorAt(3)], SPACE, 5, {})).flat().map(({ id }) => id)).toEqual([
          FINDING.id,
        ]);
        await decide(null);
        expect(await found()).toMatchObject({ outcome: "posted" });
        expect(await found()).toMatchObject({ decided: null });
      });

      test("outlive a finding that is posted and remembered again, and an export and import elsewhere", async () => {
        await decide(DECIDED);
        await opened.memory.remember([{ record: FINDING, vector: null }], SPACE);
        const record = await found();
        expect(record).toMatchObject({ outcome: "declined", decided: DECIDED });
        const back = rowRecord(exportLine(record ?? FINDING), {} as never);
        expect(back).toMatchObject({ outcome: "declined", decided: DECIDED });
        await opened.memory.forget(SHOP, [FINDING.id]);
        await opened.memory.remember([{ record: back as typeof FINDING, vector: null }], SPACE);
        expect(await found()).toMatchObject({ outcome: "declined", decided: DECIDED });
      });
    });

    test("flagged and fixed code outlive a finding that is remembered again, and go with it", async () => {
      const memoryPorts = opened.evidence;
      const pair = { flaggedCode: "conn->send(frame);", fixedCode: "if (conn) conn->send(frame);" };
      await memoryPorts.keepFixes("github.com/43", [{ memoryId: FINDING.id, ...pair }]);
      expect(await found()).toMatchObject({ fixedCode: null });
      await memoryPorts.keepFixes(SHOP, [{ memoryId: FINDING.id, ...pair }]);
      await opened.memory.remember([{ record: FINDING, vector: null }], SPACE);
      expect(await found()).toMatchObject(pair);
      expect((await memoryPorts.findings(SHOP, 7))[0]?.hasFix).toBe(true);
      expect(await memoryPorts.pullOf(SHOP, FINDING.id)).toBe(7);
      expect(await memoryPorts.pullOf("github.com/43", FINDING.id)).toBeNull();
      await opened.memory.forget(SHOP, [FINDING.id]);
      expect(await opened.count("contents WHERE fixed_code IS NOT NULL")).toBe(0);
    });

    test("rejections of a finding are rewritten each time, one a person", async () => {
      const [memoryPorts, past] = [opened.evidence, opened.past];
      const reject = (...each: Rejection[]) =>
        memoryPorts.decide(SHOP, [{ memoryId: FINDING.id, outcome: "declined", decided: null, rejections: each }]);
      const by = (login: string, more: Partial<Rejection> = {}): Rejection => {
        return { by: login, reason: null, url: null, at: 5, isReaction: false, pull: FINDING.provenance.pull, ...more };
      };
      await reject(by("wren", { reason: "by design" }), by("vera", { isReaction: true }));
      await reject(by("ines", { isReaction: true }), by("wren", { at: 8 }));
      expect((await past.rejected(SHOP))[0]?.each).toEqual([by("ines", { isReaction: true }), by("wren", { at: 8 })]);
      expect(await past.rejected("github.com/43")).toEqual([]);
      await reject();
      expect(await past.rejected(SHOP)).toEqual([]);
    });
  });
}
