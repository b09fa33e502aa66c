// What memory speaks against, and what is enough to hold a finding back.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Finding } from "../../src/domain/finding.ts";
import {
  areEnough,
  type FlaggedInChange,
  type RejectedMemory,
  type Rejection,
  rejectionsOf,
} from "../../src/domain/memory/rejections.ts";
import { heldByMemory, type PastMaterial, reintroduced } from "../../src/review/memory/held-by-memory.ts";
import { finding } from "./review-builders.ts";

const DAY = 24 * 60 * 60_000;
const NOW = Date.UTC(2026, 10, 22);
const URL = "https://github.com/acme/shop/pull/12#discussion_r99";

const declined = (more: Partial<Rejection> = {}): Rejection => ({
  by: "wren",
  isReaction: false,
  pull: null,
  reason: "we retry in the client, not here",
  url: URL,
  at: NOW - 40 * DAY,
  ...more,
});

const memory = (each: readonly Rejection[], more: Partial<RejectedMemory> = {}): RejectedMemory => ({
  memoryId: "mem_0123456789ab",
  pull: 12,
  path: "src/session.ts",
  category: "reliability",
  rule: null,
  url: "https://github.com/acme/shop/pull/12#pullrequestreview-1",
  each,
  ...more,
});

const here = (more: Partial<FlaggedInChange> = {}): FlaggedInChange => ({
  memoryId: "mem_0123456789ab",
  pull: 12,
  path: "src/session.ts",
  category: "reliability",
  severity: "major",
  rule: null,
  title: "A failed save is swallowed",
  shape: { before: [], at: [1, 2, 3, 4, 5, 6, 7], after: [] },
  url: "https://github.com/acme/shop/pull/12#pullrequestreview-1",
  at: NOW - 50 * DAY,
  fixedAt: null,
  places: [{ path: "src/login.ts", startLine: 10, line: 12, isWhole: true }],
  isAdded: true,
  isDistinctive: true,
  ...more,
});

const drafted = (more: Partial<Finding> = {}): Finding =>
  finding({
    path: "src/login.ts",
    startLine: 10,
    line: 10,
    category: "reliability",
    rule: null,
    source: "model",
    ...more,
  });

const past = (more: Partial<PastMaterial> = {}): PastMaterial => ({
  flagged: [],
  rejected: [],
  openPulls: new Set(),
  now: NOW,
  claims: new Map(),
  previousPath: () => null,
  ...more,
});

const nobody = () => false;
const held = (one: Finding, material: PastMaterial) =>
  heldByMemory([one], nobody, material).heldBack.map(({ reason }) => reason);

describe("what was declined", () => {
  test("a maintainer's reason holds back the same code in the same category, with the comment and the date", () => {
    const { findings, heldBack } = heldByMemory(
      [drafted()],
      nobody,
      past({ flagged: [here()], rejected: [memory([declined()])] }),
    );
    expect(findings).toEqual([]);
    expect(heldBack).toMatchObject([
      {
        reason: "declined on #12 by @wren on 2026-10-13: we retry in the client, not here",
        precedent: { id: "mem_0123456789ab", url: URL, outcome: "declined", date: "2026-10-13" },
      },
    ]);
  });

  test.each([
    ["another category", drafted({ category: "correctness" })],
    ["other lines", drafted({ startLine: 13, line: 14 })],
    ["a removed line", drafted({ side: "LEFT" })],
    ["the file as a whole", drafted({ locMethod: "none" })],
    ["a rule, in another file", drafted({ rule: "floating-promise", source: "rule" })],
  ])("the same code says nothing about %s", (_what, one) => {
    expect(
      held(one, past({ flagged: [here({ rule: one.rule })], rejected: [memory([declined()], { rule: one.rule })] })),
    ).toEqual([]);
  });

  test("a rule's finding is held back where its file is the same one, also under another name", () => {
    const one = drafted({ rule: "floating-promise", source: "rule" });
    const material = past({
      flagged: [here({ rule: "floating-promise" })],
      rejected: [memory([declined()], { rule: "floating-promise" })],
    });
    expect(held(one, material)).toEqual([]);
    expect(held(one, { ...material, previousPath: () => "src/session.ts" })).toHaveLength(1);
    expect(
      held(one, { ...material, flagged: [here({ rule: "floating-promise", path: "lib/login.ts" })] }),
    ).toHaveLength(1);
  });

  test("a rule is held back everywhere once who gave a reason has declined it three times", () => {
    const rule = "floating-promise";
    const of = (count: number, more: Partial<Rejection> = {}) =>
      Array.from({ length: count }, (_, at) =>
        memory([declined(more)], { rule, memoryId: `mem_00000000000${at}`, path: `src/${at}.ts` }),
      );
    const one = drafted({ rule, source: "rule" });
    expect(held(one, past({ rejected: of(3) }))).toHaveLength(1);
    expect(held(one, past({ rejected: of(2) }))).toEqual([]);
    expect(held(one, past({ rejected: of(3, { reason: null }) }))).toEqual([]);
  });

  test("the same claim is held back wherever it is made, when the category is the same", () => {
    const [same, other] = [drafted({ path: "src/far.ts" }), drafted({ path: "src/far.ts", category: "performance" })];
    const near = [{ memoryId: "mem_0123456789ab", similarity: 0.97 }];
    const material = past({
      rejected: [memory([declined()])],
      claims: new Map([
        [same, near],
        [other, near],
      ]),
    });
    const { findings, heldBack } = heldByMemory([same, other], nobody, material);
    expect(findings).toEqual([other]);
    expect(heldBack.map(({ precedent }) => precedent?.similarity)).toEqual([0.97]);
  });

  test("what is grave is said, with the reason [T17]", () => {
    for (const grave of [drafted({ category: "security" }), drafted({ severity: "critical" })]) {
      const { category } = grave;
      const material = past({ flagged: [here({ category })], rejected: [memory([declined()], { category })] });
      const { findings, heldBack } = heldByMemory([grave], nobody, material);
      expect(heldBack).toEqual([]);
      expect(findings[0]?.precedents[0]).toMatchObject({
        outcome: "declined",
        reason: "we retry in the client, not here",
        url: URL,
      });
    }
  });

  test("a finding already on this pull request is left alone", () => {
    const one = drafted();
    const material = past({ flagged: [here()], rejected: [memory([declined()])] });
    expect(heldByMemory([one], (each) => each === one, material)).toEqual({ findings: [one], heldBack: [] });
  });

  test("law: no finding is lost, nothing grave is held back, and fewer than a reason or three by two hold nothing [005-05]", () => {
    const rejection = fc.record({
      by: fc.constantFrom("wren", "vera", "mona"),
      reason: fc.constantFrom(null, "on purpose"),
      url: fc.constant(URL),
      at: fc.integer({ min: 0, max: NOW }),
      isReaction: fc.constant(false),
      pull: fc.constant(null),
    });
    const one = fc.record({
      severity: fc.constantFrom("critical" as const, "major" as const),
      category: fc.constantFrom("security" as const, "reliability" as const),
    });
    fc.assert(
      fc.property(
        fc.array(one, { maxLength: 6 }),
        fc.array(rejection, { minLength: 1, maxLength: 5 }),
        (ones, each) => {
          const findings = ones.map(drafted);
          const material = past({
            flagged: [here(), here({ memoryId: "mem_1", category: "security" })],
            rejected: [memory(each), memory(each, { memoryId: "mem_1", category: "security" })],
          });
          const { findings: said, heldBack } = heldByMemory(findings, nobody, material);
          expect(said.length + heldBack.length).toBe(findings.length);
          expect(
            heldBack.some(({ finding: { severity, category } }) => severity === "critical" || category === "security"),
          ).toBe(false);
          const byReason = each.some(({ reason }) => reason !== null);
          const byNumber = each.length >= 3 && new Set(each.map(({ by }) => by)).size >= 2;
          const mild = ones.filter(
            ({ severity, category }) => severity === "major" && category === "reliability",
          ).length;
          expect(heldBack.length).toBe(byReason || byNumber ? mild : 0);
        },
      ),
    );
  });
});

describe("comments on another open pull request", () => {
  const recent = here({ at: NOW - DAY });
  test.each([
    ["held back while it is open", recent, new Set([12]), 1],
    ["said once it is closed", recent, new Set<number>(), 0],
    ["said after a month", here({ at: NOW - 31 * DAY }), new Set([12]), 0],
    ["said when it was fixed there", here({ at: NOW - DAY, fixedAt: NOW }), new Set([12]), 0],
    ["said when too little is the same", here({ at: NOW - DAY, isDistinctive: false }), new Set([12]), 0],
  ])("%s", (_what, one, openPulls, count) => {
    expect(held(drafted(), past({ flagged: [one], openPulls }))).toHaveLength(count);
  });

  test("what is grave is said with the link", () => {
    const one = here({ at: NOW - DAY, category: "security" });
    const { findings } = heldByMemory(
      [drafted({ category: "security" })],
      nobody,
      past({ flagged: [one], openPulls: new Set([12]) }),
    );
    expect(findings[0]?.precedents[0]).toMatchObject({ outcome: "posted", url: one.url });
  });
});

describe("reintroduced", () => {
  const fixed = here({ fixedAt: Date.UTC(2026, 5, 1) });
  test("memory reports it if nothing else does, with its former severity [005-02]", () => {
    expect(reintroduced([], [fixed], new Set())).toMatchObject([
      {
        path: "src/login.ts",
        startLine: 10,
        line: 12,
        severity: "major",
        category: "reliability",
        source: "memory",
        title: "Re-introduces what #12 fixed on 2026-06-01",
        precedents: [{ outcome: "fixed", url: fixed.url, date: "2026-06-01" }],
      },
    ]);
  });

  test("where a model says it, its finding stays and says so", () => {
    const one = drafted();
    const [reported, ...more] = reintroduced([one], [fixed], new Set());
    expect(more).toEqual([]);
    expect(reported).toMatchObject({ id: one.id, title: one.title, precedents: [{ outcome: "fixed" }] });
    expect(reported?.body).toContain("re-introduces what #12 fixed on 2026-06-01");
  });

  test.each([
    ["was never fixed", here()],
    ["is not added by this change", here({ fixedAt: NOW, isAdded: false })],
    ["says too little", here({ fixedAt: NOW, isDistinctive: false })],
  ])("nothing is said about code that %s", (_what, one) => {
    expect(reintroduced([], [one], new Set())).toEqual([]);
  });

  test("declined findings are not posted, and the same code is reported once, with its newest fix", () => {
    expect(reintroduced([], [fixed], new Set([fixed.memoryId]))).toEqual([]);
    const later = here({ memoryId: "mem_b", pull: 15, fixedAt: Date.UTC(2026, 6, 1) });
    expect(reintroduced([], [fixed, later], new Set()).map(({ title }) => title)).toEqual([
      "Re-introduces what #15 fixed on 2026-07-01",
    ]);
  });
});

test("declines have the newest reason", () => {
  const each = [
    declined({ at: 1, reason: "first" }),
    declined({ at: 3, by: "rae", reason: null }),
    declined({ at: 2, by: "vera", reason: "second" }),
  ];
  expect(rejectionsOf(each)).toEqual({
    people: 3,
    count: 3,
    pulls: 1,
    isReactions: false,
    reason: "second",
    by: "vera",
    url: URL,
    at: 2,
  });
  expect(rejectionsOf([])).toBeNull();
  const silent = { reason: null, byMaintainer: false, by: "a", url: null, at: 0 };
  expect(areEnough({ ...silent, people: 1, count: 9, pulls: 9, isReactions: false })).toBe(false);
  expect(areEnough({ ...silent, people: 2, count: 3, pulls: 1, isReactions: false })).toBe(true);
  expect(areEnough({ ...silent, people: 9, count: 9, pulls: 1, isReactions: true })).toBe(false);
  expect(areEnough({ ...silent, people: 2, count: 3, pulls: 2, isReactions: true })).toBe(true);
});
