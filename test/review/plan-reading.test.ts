// What a model reads of a change: every line once or counted as not read, the riskiest first, the
// same each time.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DiffLine, FileDiff } from "../../src/domain/pull-request.ts";
import type { FileKind, ReviewSignals } from "../../src/domain/signals.ts";
import {
  coverageOf,
  type Part,
  planReading,
  type ReadingBudget,
  readingBudget,
} from "../../src/review/reading/plan-reading.ts";
import { runs } from "../property-runs.ts";
import { fileDiff, signals } from "./review-builders.ts";

const KINDS = ["source", "test", "config", "docs", "infra"] as const satisfies readonly FileKind[];

interface Shaped {
  readonly kind: FileKind;
  readonly risky: boolean;
  /** Lengths of lines, by hunk. */
  readonly hunks: readonly (readonly number[])[];
}

function fileOf({ hunks }: Shaped, at: number): FileDiff {
  const path = `src/part-${at}.ts`;
  let line = 1;
  const rows = hunks.flatMap((lengths) => {
    line += 100;
    return [
      `@@ -${line},0 +${line},${lengths.length} @@`,
      ...lengths.map((length, index) => `+${at} ${index} ${"x".repeat(length)}`),
    ];
  });
  return fileDiff(path, rows.join("\n"));
}

function signalsOf(shapes: readonly Shaped[], files: readonly FileDiff[]): ReviewSignals {
  const plain = signals();
  const risky = files.filter((_, at) => shapes[at]?.risky).map(({ path }) => ({ path, line: null }));
  return {
    ...plain,
    files: files.map(({ path }, at) => ({
      path,
      language: "typescript",
      kind: shapes[at]?.kind ?? "source",
    })),
    risks: [{ id: "authentication", text: "touches authentication", evidence: risky }],
  };
}

const shape: fc.Arbitrary<Shaped> = fc.record({
  kind: fc.constantFrom(...KINDS),
  risky: fc.boolean(),
  hunks: fc.array(fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 1, maxLength: 25 }), { maxLength: 6 }),
});
const budget: fc.Arbitrary<ReadingBudget> = fc
  .record({ charsPerCall: fc.integer({ min: 3_000, max: 12_000 }), mostCalls: fc.integer({ min: 1, max: 5 }) })
  .map(({ charsPerCall, mostCalls }) => ({ charsPerCall, mostCalls, charsInAll: charsPerCall * mostCalls }));

function planned(shapes: readonly Shaped[], room: ReadingBudget) {
  const files = shapes.map(fileOf);
  return { files, plan: planReading(files, signalsOf(shapes, files), new Set(), new Map(), room) };
}

function textOf(part: Part): string {
  return part.map(({ text }) => text).join("\n\n");
}

/** The anchored lines of all parts. */
function anchors(parts: readonly Part[]): readonly string[] {
  return parts.flatMap((part) => textOf(part).split("\n")).filter((line) => /^-?\d+#[0-9a-f]{4}:/.test(line));
}

const isLong = ({ text }: DiffLine) => text.length > 500;

describe("planReading", () => {
  test("every line is in exactly one question or its file is counted as not wholly read", () => {
    fc.assert(
      fc.property(fc.array(shape, { maxLength: 8 }), budget, (shapes, room) => {
        const { files, plan } = planned(shapes, room);
        const shown = anchors(plan.parts);
        expect(new Set(shown).size).toBe(shown.length);
        expect(plan.parts.length).toBeLessThanOrEqual(room.mostCalls);
        for (const part of plan.parts) expect(textOf(part).length).toBeLessThanOrEqual(room.charsPerCall);
        expect(plan.coverage.map(({ path }) => path)).toEqual(files.map(({ path }) => path));
        for (const [at, { state, reason }] of plan.coverage.entries()) {
          const lines = files[at]?.hunks.flatMap((hunk) => hunk.lines) ?? [];
          const count = shown.filter((line) => line.includes(`:+${at} `)).length;
          const isWhole = count === lines.length && !lines.some(isLong);
          expect(state === "full").toBe(isWhole);
          if (count === 0 && lines.length > 0) expect(state).toBe("not-read");
          expect(reason === null).toBe(state === "full");
        }
      }),
      runs(300),
    );
  });

  test("is the same each time, for any order of files", () => {
    fc.assert(
      fc.property(fc.array(shape, { maxLength: 8 }), budget, (shapes, room) => {
        const { files, plan } = planned(shapes, room);
        const given = signalsOf(shapes, files);
        expect(planReading(files, given, new Set(), new Map(), room)).toEqual(plan);
        expect(planReading([...files].reverse(), given, new Set(), new Map(), room).parts).toEqual(plan.parts);
      }),
      { numRuns: 100 },
    );
  });

  test("a hunk that fits is whole: one heading, one run of its lines", () => {
    const { plan } = planned([{ kind: "source", risky: false, hunks: [Array(20).fill(50), Array(20).fill(50)] }], {
      charsPerCall: 4_000,
      charsInAll: 4_000,
      mostCalls: 1,
    });
    expect(textOf(plan.parts[0] ?? []).match(/^@@/gm)).toHaveLength(2);
    expect(plan.coverage).toEqual([{ path: "src/part-0.ts", state: "full", reason: null }]);
  });

  test("risk and kind decide what is read first, and files with memories come before others like them", () => {
    const hunks = [Array(40).fill(60)];
    const shapes: Shaped[] = [
      { kind: "docs", risky: false, hunks },
      { kind: "test", risky: false, hunks },
      { kind: "source", risky: false, hunks },
      { kind: "source", risky: false, hunks },
      { kind: "config", risky: true, hunks },
    ];
    const files = shapes.map(fileOf);
    const one = { charsPerCall: 6_000, charsInAll: 30_000, mostCalls: 5 };
    const { parts } = planReading(files, signalsOf(shapes, files), new Set(["src/part-3.ts"]), new Map(), one);
    expect(parts.map((part) => part.map(({ path }) => path))).toEqual([
      ["src/part-3.ts"],
      ["src/part-4.ts"],
      ["src/part-2.ts"],
      ["src/part-1.ts"],
      ["src/part-0.ts"],
    ]);
  });

  test("a long line is shown in part, and its file does not count as wholly read", () => {
    const { plan } = planned([{ kind: "source", risky: false, hunks: [[10, 5_000, 10]] }], {
      charsPerCall: 10_000,
      charsInAll: 10_000,
      mostCalls: 1,
    });
    expect(plan.coverage[0]).toMatchObject({ state: "partial", reason: "only the beginning of a long line was shown" });
  });

  test("never plans more questions than there are, however badly hunks fit into them", () => {
    const room = readingBudget({ contextTokens: () => 1_000_000, price: () => null }, Number.POSITIVE_INFINITY);
    // Hunks of a little more than half a question.
    const shapes = Array.from(
      { length: 60 },
      (): Shaped => ({ kind: "source", risky: false, hunks: [Array(90).fill(450)] }),
    );
    expect(planned(shapes, room).plan.parts.length).toBe(24);
  });

  test("many hunks of a long file cost no more than their lines", () => {
    const hunks = Array.from({ length: 5_000 }, () => [3]);
    const file = fileOf({ kind: "source", risky: false, hunks }, 0);
    const head = "  if (x) {\n".repeat(520_000);
    const room = readingBudget({ contextTokens: () => 200_000, price: () => null }, Number.POSITIVE_INFINITY);
    const { coverage } = planReading([file], signals(), new Set(), new Map([[file.path, head]]), room);
    expect(coverage[0]?.state).toBe("full");
  });
});

describe("coverageOf", () => {
  test("a file is not read when each of its parts failed, and read in part when some did", () => {
    const plan = {
      parts: [
        ["a.ts", "b.ts"].map((path) => ({ path, text: "" })),
        ["b.ts", "c.ts"].map((path) => ({ path, text: "" })),
      ],
      coverage: ["a.ts", "b.ts", "c.ts"].map((path) => ({ path, state: "full", reason: null }) as const),
    };
    const { files, unanswered } = coverageOf(
      "m",
      plan,
      [{ failure: "refused", detail: "" }, null],
      { cut: [], questions: 2 },
      [],
    );
    expect(unanswered).toBe(1);
    expect(files.map(({ state, reason }) => [state, reason])).toEqual([
      ["not-read", "the model refused to answer"],
      ["partial", "the model refused to answer"],
      ["full", null],
    ]);
  });
});
