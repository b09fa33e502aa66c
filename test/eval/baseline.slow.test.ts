import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { type Baseline, baselineOf, fallenBelow, readBaselines } from "../../eval/baseline.ts";
import type { Suite, SuiteResult } from "../../eval/suite.ts";
import { suite as codeSearch } from "../../eval/suites/code-search.ts";
import { suite as referencePairs } from "../../eval/suites/reference-pairs.ts";
import { suite as retrieval } from "../../eval/suites/retrieval.ts";

const shared = resolve(process.cwd(), "../shared");

const MEASURED: readonly (readonly [what: string, name: string, suite: Suite, folder: string, flags: object])[] = [
  [
    "finding earlier comments, in five repositories of task G",
    "retrieval",
    retrieval,
    "eval/retrieval",
    {
      repos: "sample",
      rows: "default",
    },
  ],
  ["code search", "code-search", codeSearch, "eval/code-search", {}],
  ["the reference pairs", "reference-pairs", referencePairs, "spec", {}],
];

for (const [what, name, suite, folder, flags] of MEASURED) {
  const data = resolve(shared, folder);
  const present = existsSync(data);
  test.skipIf(!present)(
    `${what} has not fallen below its baseline${present ? "" : ` (skipped: ../shared/${folder} is absent)`}`,
    async () => {
      const result = await suite({ data, flags: new Map(Object.entries(flags)) });
      expect(fallenBelow(name, result, await readBaselines())).toEqual([]);
    },
  );
}

describe("a result held against its baseline", () => {
  const result = (mrr: number, fingerprint = "da7a"): SuiteResult => ({
    data: { n: 247, fingerprint },
    config: { fingerprint: "c0f1" },
    task: "G",
    rows: [
      { name: "rrf", n: 247, metrics: { mrr: 0.1 } },
      { name: "default", n: 247, metrics: { mrr, p95Ms: 200 }, ci: { mrr: [mrr - 0.05, mrr + 0.05] } },
    ],
  });
  const baselines: readonly Baseline[] = [baselineOf("retrieval", result(0.446))];

  test("holds while it stays within the interval, and when it is better", () => {
    expect(fallenBelow("retrieval", result(0.397), baselines)).toEqual([]);
    expect(fallenBelow("retrieval", result(0.9), baselines)).toEqual([]);
  });

  test("falls below it by more than the interval", () => {
    expect(fallenBelow("retrieval", result(0.39), baselines)).toEqual([
      "retrieval G: mrr 0.39 is below 0.396 (baseline 0.446)",
    ]);
  });

  test("cannot be judged on other data, as another task, or when the figure is missing", () => {
    expect(fallenBelow("retrieval", result(0.5, "0the"), baselines)).toHaveLength(1);
    expect(fallenBelow("retrieval", { ...result(0.5), task: "H" }, baselines)).toEqual([
      "retrieval H: has no baseline",
    ]);
    const gone = { ...result(0.5), rows: [{ name: "default", n: 247, metrics: {} }] };
    expect(fallenBelow("retrieval", gone, baselines)).toHaveLength(1);
  });

  test("concerns quality only: duration decides nothing", () => {
    expect(Object.keys(baselines[0]?.metrics ?? {})).toEqual(["mrr"]);
  });
});
