import { describe, expect, test } from "vitest";
import { textTokens } from "../../src/domain/code/code-fingerprint.ts";
import type { EarlierFinding } from "../../src/domain/review/review-history.ts";
import { earlierFindings } from "../../src/gather/earlier-findings.ts";
import { finding, LOGIN, ownComment } from "../review/review-builders.ts";

function said(id: string, over: Partial<EarlierFinding> = {}): EarlierFinding {
  return {
    finding: finding({ id }),
    place: "inline",
    shape: { before: [], at: [7], after: [] },
    url: null,
    recovered: false,
    ...over,
  };
}
const review = (posted: boolean, ...all: readonly EarlierFinding[]) => ({ posted, review: { said: all } });
const reported = (all: readonly EarlierFinding[]) =>
  all.map(({ finding: { id }, place, url }) => [id, place, url !== null]);

describe("what was said on a pull request", () => {
  test("is what the last posted review knows, with the addresses of the existing comments", () => {
    const earlier = [review(true, said("fnd_a"), said("fnd_b")), review(true, said("fnd_a"))];
    expect(reported(earlierFindings(earlier, [ownComment("fnd_a"), ownComment("fnd_b")]))).toEqual([
      ["fnd_a", "inline", true],
      ["fnd_b", "inline", true],
    ]);
  });

  test("and the findings of a superseded review from before that, no more", () => {
    const earlier = [review(false, said("fnd_a"), said("fnd_c"), said("fnd_d")), review(true, said("fnd_a"))];
    expect(reported(earlierFindings(earlier, [ownComment("fnd_a"), ownComment("fnd_c")]))).toEqual([
      ["fnd_a", "inline", true],
      ["fnd_c", "inline", true],
    ]);
  });

  test("what has no comment is for the summary; when comments cannot be read it stays what it was", () => {
    const earlier = [review(true, said("fnd_a"), said("fnd_b", { place: "summary" }))];
    expect(reported(earlierFindings(earlier, []))).toEqual([
      ["fnd_a", "summary", false],
      ["fnd_b", "summary", false],
    ]);
    expect(reported(earlierFindings(earlier, null))).toEqual([
      ["fnd_a", "inline", false],
      ["fnd_b", "summary", false],
    ]);
  });

  test("a comment that no ledger knows is read back with its title and the code above it", () => {
    const hunk =
      "@@ -10,5 +10,7 @@ def login(request):\n     name = request\n-    user = db.find(name)\n+    query = name\n+    user = query";
    const [one] = earlierFindings([], [{ ...ownComment("fnd_a"), hunk, startLine: 11, line: 12, title: "SQL" }]);
    expect(one).toMatchObject({ place: "inline", recovered: true, finding: { title: "SQL", path: LOGIN.path } });
    expect(one?.shape).toEqual({
      before: textTokens("name = request"),
      at: textTokens("query = name\nuser = query"),
      after: [],
    });
    const [onFile] = earlierFindings([], [{ ...ownComment("fnd_b"), startLine: null, line: null }]);
    expect(onFile).toMatchObject({
      place: "file",
      finding: { locMethod: "none", title: "A finding of an earlier push" },
    });
  });
});
