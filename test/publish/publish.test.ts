import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Transient } from "../../src/domain/errors.ts";
import { parseFindingMarker, parseReviewMarker } from "../../src/domain/review/marker.ts";
import type { PlacedFinding, PostedReview, Review } from "../../src/domain/review.ts";
import { publish } from "../../src/publish/publish.ts";
import { type FakeReviews, fakeReviews, type World } from "../fakes/reviews.ts";
import { runs } from "../property-runs.ts";
import { finding, HEAD, LOGIN, REPO } from "../review/review-builders.ts";
import { BUILD, sampleReview } from "./sample-review.ts";

const github = (more: Partial<World> = {}) => fakeReviews({ headSha: HEAD, files: [LOGIN, BUILD], ...more });

/** Ids of all comments that stand, inline and on files. */
const openFindings = (there: FakeReviews) => [
  ...there.reviews.flatMap(({ comments }) => comments.flatMap(({ body }) => parseFindingMarker(body))),
  ...there.fileComments.flatMap(({ body }) => parseFindingMarker(body)),
];

const inline = (lines: readonly number[]): PlacedFinding[] =>
  lines.map((line) => ({
    finding: finding({ startLine: line, line, title: `What is on ${line}` }),
    place: "inline",
    reason: null,
  }));

const places = (posted: PostedReview) => posted.findings.map((one) => one.place);

async function sent(review: Review, there: FakeReviews): Promise<PostedReview> {
  const posted = await publish(review, there);
  if (posted.kind !== "posted") throw new Error(posted.reason);
  return posted;
}

describe("publish", () => {
  test("summary first, then one review that links it, then the comment on a file", async () => {
    const there = github();
    const posted = await sent(sampleReview(), there);
    expect(there.calls).toEqual(["postedFindings", "head", "putSummary", "postReview", "postFileComment"]);
    expect(there.reviews).toHaveLength(1);
    expect(there.reviews[0]?.body).toContain(posted.summaryUrl);
    expect(parseReviewMarker(there.reviews[0]?.body ?? "")).toBe(HEAD);
    expect(openFindings(there)).toEqual(["fnd_5d41402abc4b", "fnd_7d793037a076", "fnd_e4da3b7fbbce"]);
    expect(places(posted)).toEqual(["inline", "inline", "file", "summary", "already-posted"]);
    expect(posted.reviewUrl).toBe("https://github.com/acme/app/pull/7#pullrequestreview-1");
  });

  test("without findings there is the summary and no review", async () => {
    const there = github();
    const posted = await sent(sampleReview({ findings: [] }), there);
    expect(there.reviews).toEqual([]);
    expect(there.summaries).toHaveLength(1);
    expect(posted.reviewUrl).toBeNull();
  });

  test.each([
    ["the head moved", { headSha: "a".repeat(40) }, "the head moved to aaaaaaa"],
    ["the pull request was closed", { state: "closed" }, "the pull request is closed"],
    ["the conversation was locked", { locked: true }, "the conversation is locked"],
  ] as const)("nothing is posted when %s meanwhile [R18]", async (_when, world, reason) => {
    const there = github(world);
    expect(await publish(sampleReview(), there)).toEqual({ kind: "superseded", reason });
    expect(there.calls).toEqual(["postedFindings", "head"]);
  });

  test("a second run on the same head posts no comment again and edits the one summary", async () => {
    const there = github();
    await sent(sampleReview(), there);
    const before = openFindings(there);
    const again = await sent(sampleReview(), there);
    expect(openFindings(there)).toEqual(before);
    expect(there.summaries).toHaveLength(1);
    expect(places(again)).toEqual(["already-posted", "already-posted", "already-posted", "summary", "already-posted"]);
  });

  test.each([0, 1, 2].flatMap((write) => (["before", "after"] as const).map((when) => ({ write, when }))))(
    "dying $when write $write lands, a second run posts each comment exactly once",
    async (dies) => {
      const there = github({ dies });
      await expect(publish(sampleReview(), there)).rejects.toThrow(Transient);
      there.world.dies = null;
      await sent(sampleReview(), there);
      expect([...openFindings(there)].sort()).toEqual(["fnd_5d41402abc4b", "fnd_7d793037a076", "fnd_e4da3b7fbbce"]);
      expect(there.summaries).toHaveLength(1);
    },
  );

  test("one refused comment goes to its file, the others stay inline, and the summary shows the result", async () => {
    const there = github({ refuses: ({ line }) => line === 12 });
    const posted = await sent(sampleReview({ findings: inline([10, 11, 12, 13, 14]) }), there);
    expect(places(posted)).toEqual(["inline", "inline", "file", "inline", "inline"]);
    expect(posted.findings[2]?.reason).toBe("GitHub did not take a comment on these lines");
    expect(there.fileComments.map(({ path }) => path)).toEqual([LOGIN.path]);
    expect(there.summaries).toHaveLength(1);
    expect(there.summaries[0]).toContain("4 inline, 1 on whole files");
  });

  test("findings of one rule that say the same share a comment that names each place, and each keeps its id", async () => {
    const there = github();
    const [one, other] = [10, 12].map((line) => ({
      finding: finding({ startLine: line, line, title: "Certificate check is off", suggestion: null }),
      place: "inline" as const,
      reason: null,
    }));
    if (one === undefined || other === undefined) throw new Error("two were made");
    const offered = {
      ...other,
      finding: { ...other.finding, id: "fnd_00000000f1f1", suggestion: { startLine: 12, line: 12, text: "x" } },
    };
    const posted = await sent(sampleReview({ findings: [one, other, offered] }), there);
    expect(places(posted)).toEqual(["inline", "inline", "inline"]);
    const bodies = there.reviews.flatMap(({ comments }) => comments);
    expect(bodies.map(({ line, body }) => [line, parseFindingMarker(body)])).toEqual([
      [10, [one.finding.id, other.finding.id]],
      [12, ["fnd_00000000f1f1"]],
    ]);
    expect(bodies[0]?.body).toMatch(/Also at \[`src\/auth\/login\.py:12`\]\(https:[^)]*#L12\)\./);
    expect([...(await there.postedFindings(REPO, 7, HEAD))]).toHaveLength(3);
  });

  test("a comment that its file refuses as well is in the summary", async () => {
    const there = github({ refuses: () => true, refusesFile: () => true });
    const posted = await sent(sampleReview({ findings: inline([11]) }), there);
    expect(places(posted)).toEqual(["summary"]);
    expect(posted.reviewUrl).toBeNull();
    expect(there.summaries[0]).toContain("GitHub did not take a comment on these lines or on this file");
  });

  test("any error but a refusal is the caller's", async () => {
    const there = github({
      refuses: () => {
        throw new TypeError("a bug");
      },
    });
    await expect(publish(sampleReview(), there)).rejects.toThrow(TypeError);
  });

  test("for any refusal of GitHub, each finding ends in one place, appears once, and the posts are bounded [R31]", async () => {
    const lines = [10, 11, 12, 13, 14, 15, 16, 42, 43, 44, 45];
    await fc.assert(
      fc.asyncProperty(fc.subarray(lines), fc.subarray(lines), fc.boolean(), async (said, bad, files) => {
        const there = github({ refuses: ({ line }) => bad.includes(line), refusesFile: () => files });
        const review = sampleReview({ findings: inline(said) });
        const posted = await sent(review, there);
        expect(posted.findings.map((one) => one.finding)).toEqual(review.findings.map((one) => one.finding));
        const commented = posted.findings.filter((one) => one.place === "inline" || one.place === "file");
        expect([...openFindings(there)].sort()).toEqual(commented.map((one) => one.finding.id).sort());
        expect(there.calls.filter((call) => call === "postReview").length).toBeLessThanOrEqual(12);
      }),
      runs(500),
    );
  });
});
