import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ArmTally,
  gainOverPlacebo,
  mostOf,
  placeboFor,
  type ReplayedPull,
  replayFigures,
  replayVerdict,
  tallyArm,
} from "../../src/domain/figures/replay.ts";
import { isDeclined } from "../../src/domain/memory/read-reply.ts";
import { textVectors } from "../../src/domain/text/text-likeness.ts";

const SAID = ["Close the connection when the handshake fails.", "Sort these imports."];
const vectors = textVectors([...SAID, "Use a constant here.", "Why not a map?"]);
const shown = (text: string, no = false) => ({ vector: vectors(text), isDeclined: no, tokens: 10 });
const later = SAID.map(vectors);

describe("what five memories come to", () => {
  test("a comment is met once, however many memories are like it", () => {
    const close = shown("close this connection when a handshake fails");
    expect(tallyArm([close, close, shown("Why not a map?")], later)).toEqual({
      ...{ met: 1, shown: 3, useful: 2, harmful: 0, tokens: 30 },
    });
  });

  test("the sixth memory is not looked at", () => {
    const others = Array.from({ length: 5 }, () => shown("Why not a map?"));
    expect(tallyArm([...others, shown(SAID[1] ?? "")], later)).toMatchObject({ met: 0, shown: 5, tokens: 50 });
  });

  test("a declined memory harms only if a person made the same comment anyway", () => {
    expect(tallyArm([shown(SAID[0] ?? "", true), shown("Why not a map?", true)], later).harmful).toBe(1);
  });
});

test.each([
  ["an outcome decides", { outcome: "declined", replies: [] }, true],
  ["accepted beats a reply", { outcome: "accepted", replies: ["Won't fix."] }, false],
  [
    "nobody decided, a reply says no",
    { outcome: null, replies: ["Thanks!", "This is intentional, see the RFC."] },
    true,
  ],
  ["posted is no decision", { outcome: "posted", replies: ["won’t do, out of scope"] }, true],
  ["a reply that agrees", { outcome: null, replies: ["Good catch, done in 3f2a1bc."] }, false],
  ["no reply", { outcome: null, replies: [] }, false],
] as const)("who said no: %s", (_what, said, expected) => {
  expect(isDeclined(said)).toBe(expected);
});

const tally = (met: number): ArmTally => ({ met, shown: 5, useful: met, harmful: 0, tokens: 100 });
const pull = (on: number, placebo: number, language = "go"): ReplayedPull => ({
  ...{ pull: 1, language, comments: 3 },
  arms: { on: tally(on), off: tally(0), placebo: tally(placebo) },
});
const pulls = (count: number, on: number, placebo: number, language = "go") =>
  Array.from({ length: count }, () => pull(on, placebo, language));

describe("what may be concluded", () => {
  test("few pull requests show nothing, however well they went", () => {
    const few = pulls(19, 1, 0);
    const verdict = replayVerdict(few, gainOverPlacebo(few));
    expect(verdict.helps).toBe(false);
    expect(verdict.reason).toContain("not shown to help here: 19 pull requests, 20 are wanted");
  });

  test("a gain that may be none is not shown to help", () => {
    const even = [...pulls(20, 1, 0), ...pulls(20, 0, 1)];
    expect(replayVerdict(even, gainOverPlacebo(even))).toMatchObject({
      helps: false,
      reason: expect.stringContaining("the gain over the placebo may be none"),
    });
  });

  test("enough pull requests with a clear gain help", () => {
    const many = [...pulls(40, 1, 0), ...pulls(10, 0, 0)];
    expect(replayVerdict(many, gainOverPlacebo(many))).toMatchObject({ helps: true });
  });

  test("without a placebo nothing is shown", () => {
    const all = [...pulls(30, 1, 0), ...pulls(30, 0, 0)];
    expect(replayFigures(all, false)).toMatchObject({ gain: null, verdict: { helps: false } });
  });

  test("never helps where the placebo met at least as many", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(2), fc.nat(2)), { maxLength: 60 }), (met) => {
        const list = met.map(([a, b]) => pull(Math.min(a, b), Math.max(a, b)));
        expect(replayVerdict(list, gainOverPlacebo(list)).helps).toBe(false);
      }),
      { numRuns: 30 },
    );
  });

  test("nothing replayed gives zeros", () => {
    expect(replayFigures([], true)).toMatchObject({ pulls: 0, gain: { mean: 0 }, verdict: { helps: false } });
  });
});

test("the placebo is another repository of the same main language with the nearest number of memories", () => {
  const of = (key: string, language: string, memories: number) => ({ key, language, memories });
  const all = [of("a", "go", 10), of("b", "go", 100), of("c", "go", 12), of("d", "rust", 10), of("e", "go", 0)];
  expect(placeboFor(of("a", "go", 10), all)?.key).toBe("c");
  expect(placeboFor(of("d", "rust", 10), all)).toBeNull();
});

test("the main language is the most frequent one that is known", () => {
  expect(
    mostOf([
      ["unknown", 9],
      ["cpp", 2],
      ["c", 1],
      ["c", 1],
    ]),
  ).toBe("c");
  expect(mostOf([])).toBe("unknown");
});
