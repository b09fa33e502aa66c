import { expect, test } from "vitest";
import { withFirstKeywordScore } from "../../eval/first-keyword-score.ts";
import type { CorpusRow } from "../../eval/judged-data.ts";
import { memoryId, repoKey } from "../../src/domain/memory.ts";
import { evaluationRepo } from "../../src/learn/remember/parse-row.ts";
import type { Recall } from "../../src/ports/memory.ts";

const REPO = repoKey(evaluationRepo("acme/shop"));
const row = (id: string, pr: number, text: string, createdAt = "2024-01-01T00:00:00Z") =>
  ({ id, repo: "acme/shop", pr, filePath: "src/pool.ts", language: "TypeScript", text, createdAt }) as CorpusRow;
const ROWS = [
  row("c:whole", 1, "Close the pool when the pool is empty."),
  row("c:inside", 2, "Whirlpools are no excuse."),
  row("c:many", 3, "pool ".repeat(40)),
  row("c:own", 9, "This pool is ours."),
  row("c:later", 4, "A pool of later.", "2024-06-01T00:00:00Z"),
];

test("counting words gives .1 for each occurrence and .2 more for the whole word, and 1 at most [003-12]", async () => {
  const recall = withFirstKeywordScore({} as Recall, ROWS);
  const scope = { repo: REPO, ownerPool: null, excludePull: 9, before: Date.parse("2024-05-01T00:00:00Z") };
  const [hits = []] = await recall.matching(scope, ["Is the pool empty?"], 10, {});
  const scores = new Map(hits.map(({ id, score }) => [id, score]));
  const of = (id: string) => scores.get(memoryId(REPO, "review_comment", id));
  // "the" twice and whole, "pool" twice and whole, "empty" once and whole: .4 + .4 + .3, cut at 1.
  expect(of("c:whole")).toBe(1);
  expect(of("c:inside")).toBeCloseTo(0.1, 12);
  expect(of("c:many")).toBe(1);
  expect(of("c:own")).toBeUndefined();
  expect(of("c:later")).toBeUndefined();
  expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).toSorted((a, b) => b - a));
});
