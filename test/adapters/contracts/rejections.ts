import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CodeShape, shapeKey } from "../../../src/domain/code/code-fingerprint.ts";
import type { Rejection } from "../../../src/domain/memory/rejections.ts";
import { findingMemoryId, findingSource, type MemoryRecord } from "../../../src/domain/memory.ts";
import { aMemory } from "../../builders/memory-record.ts";
import type { OpenMemory, OpenMemoryPorts } from "./memory-ports.ts";

export const REPO = "github.com/42";
const OTHER = "github.com/43";
export const SPACE = { model: "test", dimension: 4 };
export const SHAPE: CodeShape = { before: [1, 2], at: [4_000_000_000, 5, 6, 7, 8, 9, 10], after: [11] };

export function aFinding(pull: number, findingId: string, repo = REPO): MemoryRecord {
  return aMemory({
    id: findingMemoryId(repo, pull, findingId),
    repo,
    corpus: "finding",
    sourceId: findingSource(pull, findingId),
    text: "A failed save is swallowed\n\nNobody learns of it.",
    severity: "major",
    category: "reliability",
    path: "src/session.ts",
    language: "TypeScript",
    outcome: "posted",
    provenance: {
      url: `https://github.com/acme/shop/pull/${pull}`,
      ...{ author: "kodiai[bot]", authorIsBot: true, pull, at: pull },
    },
  });
}

export const wren = (more: Partial<Rejection> = {}): Rejection => ({
  by: "wren",
  isReaction: false,
  pull: null,
  reason: "best effort",
  url: null,
  at: 5,
  ...more,
});

/** What everybody who keeps declines, and the code that findings were about, promises. */
export function rejectionsContract(name: string, open: OpenMemory): void {
  describe(`${name} keeps the promises of past declines and past code`, () => {
    let opened: OpenMemoryPorts;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());
    const remembered = (...records: MemoryRecord[]) =>
      opened.memory.remember(
        records.map((record) => ({ record, vector: null })),
        SPACE,
      );

    const rejectAs = (repo: string, memoryId: string, ...rejections: Rejection[]) =>
      opened.evidence.decide(repo, [{ memoryId, outcome: "declined", decided: null, rejections }]);

    test("a rejection is kept with its finding", async () => {
      const [one, two] = [aFinding(1, "fnd_0000000000aa"), aFinding(2, "fnd_0000000000bb")];
      await remembered(one, two);
      const kept = opened.past;
      await rejectAs(REPO, one.id, wren({ reason: "really", at: 6 }), wren({ by: "vera", reason: null, at: 7 }));
      await opened.past.keep(
        REPO,
        { reported: [{ memoryId: one.id, rule: "floating-promise", shape: SHAPE }], open: [], fixed: [] },
        9,
      );
      expect(await kept.rejected(REPO)).toEqual([
        {
          memoryId: one.id,
          pull: 1,
          path: "src/session.ts",
          category: "reliability",
          rule: "floating-promise",
          url: "https://github.com/acme/shop/pull/1",
          each: [wren({ pull: 1, reason: "really", at: 6 }), wren({ by: "vera", pull: 1, reason: null, at: 7 })],
        },
      ]);
      await rejectAs(REPO, two.id);
      expect(await kept.rejected(REPO)).toHaveLength(1);
      await rejectAs(REPO, one.id);
      expect(await kept.rejected(REPO)).toEqual([]);
    });

    test("nothing is rejected or known of another repository", async () => {
      const one = aFinding(1, "fnd_0000000000aa");
      await remembered(one, aFinding(1, "fnd_0000000000aa", OTHER));
      const [kept, code] = [opened.past, opened.past];
      await rejectAs(OTHER, one.id, wren());
      await rejectAs("nowhere", one.id, wren());
      expect(await kept.rejected(REPO)).toEqual([]);
      await rejectAs(REPO, one.id, wren());
      await code.keep(REPO, { reported: [{ memoryId: one.id, rule: null, shape: SHAPE }], open: [], fixed: [] }, 9);
      await rejectAs(OTHER, one.id);
      expect(await kept.rejected(OTHER)).toEqual([]);
      expect(await code.flagged(OTHER, [shapeKey(SHAPE) ?? 0], 2)).toEqual([]);
      expect(await kept.rejected(REPO)).toHaveLength(1);
    });

    test("who commented on files is counted, without bots, other files, other repositories and the pull request itself", async () => {
      const said = (
        sourceId: string,
        author: string | null,
        more: { path?: string; pull?: number; bot?: boolean } = {},
      ) =>
        aMemory({
          ...{ repo: REPO, corpus: "review_comment", sourceId, path: more.path ?? "src/session.ts" },
          provenance: { author, authorIsBot: more.bot ?? false, pull: more.pull ?? 1 },
        });
      await remembered(
        ...[said("1", "wren"), said("2", "vera"), said("3", "vera"), said("4", "kim", { pull: 7 })],
        ...[said("5", "kim", { path: "src/other.ts" }), said("6", null), said("7", "ci[bot]", { bot: true })],
        aMemory({ repo: OTHER, corpus: "review_comment", sourceId: "8", path: "src/session.ts" }),
      );
      expect(await opened.past.commenters(REPO, ["src/session.ts", "src/none.ts"], 7)).toEqual([
        { author: "@vera", comments: 2 },
        { author: "@wren", comments: 1 },
      ]);
      expect(await opened.past.commenters(REPO, [], 7)).toEqual([]);
    });

    test("code is found by its beginning, on other pull requests only; fixed code keeps its first date until it comes back", async () => {
      const one = aFinding(1, "fnd_0000000000aa");
      await remembered(one);
      const code = opened.past;
      const keys = [shapeKey(SHAPE) ?? 0];
      const reported = [{ memoryId: one.id, rule: null, shape: SHAPE }];
      await code.keep(REPO, { reported, open: [one.id], fixed: [] }, 10);
      expect(await code.flagged(REPO, keys, 2)).toMatchObject([
        {
          memoryId: one.id,
          pull: 1,
          title: "A failed save is swallowed",
          shape: SHAPE,
          fixedAt: null,
          severity: "major",
        },
      ]);
      expect(await code.flagged(REPO, keys, 1)).toEqual([]);
      expect(await code.flagged(REPO, [1, 2, 3], 2)).toEqual([]);
      const fixedAt = async () => (await code.flagged(REPO, keys, 2)).map((each) => each.fixedAt);
      await code.keep(REPO, { reported, open: [], fixed: [one.id] }, 20);
      await code.keep(REPO, { reported, open: [], fixed: [one.id] }, 30);
      expect(await fixedAt()).toEqual([20]);
      await code.keep(REPO, { reported, open: [one.id], fixed: [] }, 40);
      expect(await fixedAt()).toEqual([null]);
    });

    test("code of fewer than six tokens with nothing after it, and of findings that memory does not have, is not kept", async () => {
      const one = aFinding(1, "fnd_0000000000aa");
      await remembered(one);
      const short = { before: [1], at: [2, 3], after: [] };
      const reported = [
        { memoryId: one.id, rule: null, shape: short },
        { memoryId: "mem_ffffffffffff", rule: null, shape: SHAPE },
      ];
      await opened.past.keep(REPO, { reported, open: [], fixed: ["mem_ffffffffffff"] }, 10);
      expect(await opened.count("flagged")).toBe(0);
    });

    test("forgetting a finding also forgets the rejections of it", async () => {
      const [one, two] = [aFinding(1, "fnd_0000000000aa"), aFinding(2, "fnd_0000000000bb")];
      await remembered(one, two);
      const kept = opened.past;
      await rejectAs(REPO, one.id, wren());
      await rejectAs(REPO, two.id, wren());
      await kept.keep(REPO, { reported: [{ memoryId: one.id, rule: null, shape: SHAPE }], open: [], fixed: [] }, 9);
      await opened.memory.forget(REPO, [one.id]);
      expect(await kept.rejected(REPO)).toMatchObject([{ memoryId: two.id }]);
      expect(await opened.count("flagged")).toBe(0);
      await opened.memory.forgetRepository(REPO);
      expect(await opened.count("rejections")).toBe(0);
    });
  });
}
