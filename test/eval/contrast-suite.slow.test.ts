import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { aucOf } from "../../eval/auc.ts";
import { variantOf } from "../../eval/code-variants.ts";
import { fixPairs } from "../../eval/fix-pairs.ts";
import { readJudged } from "../../eval/judged-data.ts";
import { suite } from "../../eval/suites/contrast.ts";

const folders: string[] = [];
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

describe("the area under the curve", () => {
  const scored = (positive: readonly number[], negative: readonly number[]) => [
    ...positive.map((score, item) => ({ item, positive: true, score })),
    ...negative.map((score, item) => ({ item, positive: false, score })),
  ];

  test("is 1 when every positive scores higher, 0 when lower, ½ when all are equal or one kind is missing", () => {
    expect(aucOf(scored([3, 4], [1, 2]))).toEqual({ mean: 1, low: 1, high: 1 });
    expect(aucOf(scored([1, 2], [3, 4])).mean).toBe(0);
    expect(aucOf(scored([1, 1], [1, 1])).mean).toBe(0.5);
    expect(aucOf(scored([1], [])).mean).toBe(0.5);
    expect(aucOf([]).mean).toBe(0.5);
  });

  test("is the share of pairs of a positive and a negative in the right order, ties half", () => {
    const scores = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(scores, scores, (up, down) => {
        const wins = up.flatMap((a) => down.map((b): number => (a > b ? 1 : a === b ? 0.5 : 0)));
        const share = wins.reduce((sum, win) => sum + win, 0) / wins.length;
        expect(aucOf(scored(up, down), 1, 10).mean).toBeCloseTo(share, 12);
      }),
    );
  });
});

test("a variant has other names and another layout, the same for the same name, and keeps keywords, calls and members", () => {
  const code = "    for check in reversed(other_checks):\n        check(result, self.limit)\n";
  const variant = variantOf(code, "local");
  expect(variant).not.toContain("other_checks");
  expect(variant).toMatch(/^\t\tfor \w+ in reversed\(/);
  expect(variant).toContain("self.limit");
  expect(variantOf("other_checks = 1", "local").split(" ")[0]?.trim()).toBe(/reversed\(\s*(\w+)/.exec(variant)?.[1]);
  expect(variantOf(code, "every")).not.toContain("limit");
});

const HUNK = [
  "@@ -1,3 +1,6 @@",
  " export function serve(server) {",
  "+  const base = 32768;",
  "+  const range = 65535 - base;",
];
const FLAGGED = "+  const remotePort = Math.floor(Math.random() * range);";
const FIXED = "+  const remotePort = Math.floor(Math.random() * range) + base;";
const comment = (id: string, createdAt: string, hunk: readonly string[], over: object = {}) => ({
  ...{
    id,
    repo: "acme/shop",
    pr: 3,
    filePath: "src/serve.ts",
    language: "TypeScript",
    text: "This can give 0.",
    createdAt,
  },
  ...{ side: "RIGHT", hunk: hunk.join("\n"), ...over },
});

describe("pairs of flagged and fixed code", () => {
  const pairsOf = (corpus: readonly object[], queries: readonly object[] = []) =>
    fixPairs({ corpus, queries, fingerprint: "" } as unknown as Parameters<typeof fixPairs>[0]);
  const flagged = comment("c:1", "2024-01-01T00:00:00Z", [...HUNK, FLAGGED]);

  test("come from a later comment whose hunk shows the same place changed", () => {
    const later = comment("c:2", "2024-01-02T00:00:00Z", [...HUNK, FIXED, "+  server.listen(remotePort);"]);
    const { pairs } = pairsOf([flagged, later]);
    expect(pairs).toMatchObject([{ id: "c:1", from: "later comment", flagged: FLAGGED.slice(1) }]);
    expect(pairs[0]?.fixed.split("\n")[0]).toBe(FIXED.slice(1));
  });

  test("come from the diff at the final head, but not from the one that the reviewer saw", () => {
    const lines = [...HUNK.slice(1), FIXED];
    const diff = [
      "diff --git a/src/serve.ts b/src/serve.ts",
      "--- a/src/serve.ts",
      "+++ b/src/serve.ts",
      "@@ -1,1 +1,4 @@",
      ...lines,
      "",
    ];
    const query = { repo: "acme/shop", pr: 3, diff: diff.join("\n") };
    expect(pairsOf([flagged], [{ ...query, diffAt: "final-head" }]).pairs).toMatchObject([
      { from: "final diff", fixed: FIXED.slice(1) },
    ]);
    expect(pairsOf([flagged], [{ ...query, diffAt: "review-time" }]).pairs).toEqual([]);
  });

  test.each([
    ["the line stands unchanged", [...HUNK, FLAGGED, "+  server.listen(remotePort);"]],
    ["other code in the same place", [...HUNK, "+  await database.migrate(everything, now, please);"]],
    ["the place is not found later", ["@@ -90 +90,2 @@", " // the end", "+export default serve;"]],
    ["only its form changed", [...HUNK, FLAGGED.replaceAll(" * ", "*")]],
  ])("are left out where %s", (reason, hunk) => {
    const { pairs, leftOut } = pairsOf([flagged, comment("c:2", "2024-01-02T00:00:00Z", hunk)]);
    expect(pairs).toEqual([]);
    expect(leftOut.get(reason)).toBe(1);
  });

  test("contrast separates them, and the rows give the number of pairs [005-01]", async () => {
    const folder = await mkdtemp(join(tmpdir(), "kodiai-contrast-suite-"));
    folders.push(folder);
    const later = comment("c:2", "2024-01-02T00:00:00Z", [...HUNK, FIXED, "+  server.listen(remotePort);"]);
    const query = {
      id: "acme/shop#9",
      diff: "",
      diffAt: "review-time",
      asOf: "",
      own: [],
      relevant: [],
      relevantGold: [],
      grades: {},
    };
    await writeFile(join(folder, "corpus.jsonl"), [flagged, later].map((row) => JSON.stringify(row)).join("\n"));
    await writeFile(join(folder, "queries.jsonl"), JSON.stringify(query));
    const { rows } = await suite({ data: folder, flags: new Map() });
    expect(rows.find(({ name }) => name === "default")).toMatchObject({ n: 1, metrics: { auc: 1 } });
    expect(rows.find(({ name }) => name === "plain")).toMatchObject({ n: 1, metrics: { auc: 1 } });
    expect(rows.find(({ name }) => name === "default, cluster-mates")).toMatchObject({ n: 0 });
  });
});

const data = resolve("../shared/eval/retrieval");
const present = existsSync(data);
test.skipIf(!present)(
  `real reviews give about two hundred pairs, in which no flagged code is its own fix${present ? "" : " (skipped: ../shared/eval/retrieval is absent)"}`,
  async () => {
    const { pairs } = fixPairs(await readJudged(data));
    expect(pairs.length).toBeGreaterThan(180);
    expect(pairs.filter(({ flagged, fixed }) => flagged.replace(/\s/g, "") === fixed.replace(/\s/g, ""))).toEqual([]);
  },
);
