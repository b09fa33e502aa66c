import { readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SEVERITIES } from "../../src/domain/finding.ts";
import type { PlacedFinding, Review } from "../../src/domain/review.ts";
import { reviewMarkdown } from "../../src/publish/publish.ts";
import { renderComment } from "../../src/publish/render-comment.ts";
import { BODY_LIMIT, renderReviewBody, renderSummary, verdict } from "../../src/publish/render-summary.ts";
import { runs } from "../property-runs.ts";
import { finding, HEAD, REPO } from "../review/review-builders.ts";
import { violations } from "./github-markdown.ts";
import { hostile } from "./hostile-text.ts";
import { OURS } from "./posted-review.ts";
import { sampleReview } from "./sample-review.ts";

/** Compares with a file under test/golden; UPDATE_GOLDEN=1 rewrites it. */
function golden(name: string, text: string): void {
  const file = `test/golden/${name}.md`;
  if (process.env.UPDATE_GOLDEN === "1") writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, "utf8"));
}

describe("what people read", () => {
  test("findings that share a comment are counted with their comments, which the limit is about", () => {
    const shared = Array.from({ length: 11 }, (_, at): PlacedFinding => {
      const one = {
        id: `fnd_${String(at).padStart(12, "0")}`,
        source: "rule",
        rule: "tls-off",
        suggestion: null,
      } as const;
      return {
        finding: finding({ ...one, severity: "major", line: at + 1, startLine: at + 1 }),
        place: "inline",
        reason: null,
      };
    });
    const said = (findings: readonly PlacedFinding[]) =>
      verdict(sampleReview({ findings, heldBack: [], degraded: [] }), findings);
    expect(said(shared)).toBe("All inline. Equal findings share a comment: 1 inline comment.");
    expect(said(shared.slice(0, 1))).toBe("Inline.");
  });

  test("a busy review reads as in its golden file", () => {
    golden("review-busy", reviewMarkdown(sampleReview()));
  });

  test("a review without findings is a few lines", () => {
    const quiet = sampleReview({
      findings: [],
      heldBack: [],
      leftOut: [],
      degraded: [],
      configProblems: [],
      configChanges: false,
    });
    golden("review-quiet", reviewMarkdown(quiet));
  });

  test("at a terminal, where nothing has an address, there are no links", () => {
    const local = reviewMarkdown(sampleReview({ repo: { ...REPO, host: "local" }, answersCommands: false }));
    golden("review-local", local);
    // What a finding says is quoted in the prompt as it is.
    expect(local.replace(/(`{3,})text[\s\S]*?\n\1\n/, "")).not.toContain("](");
    // Nobody answers a command there.
    expect(local).not.toContain("/kodiai");
    expect(local).toContain("to hide it, write `kodiai-ignore ");
  });

  test("an inline comment with a suggestion reads as in its golden file", () => {
    const placed = sampleReview().findings[1] as PlacedFinding;
    golden("review-comment", renderComment(sampleReview(), placed.finding, "inline"));
  });
});

describe("renderComment", () => {
  const offer = (text: string) =>
    renderComment(sampleReview(), finding({ suggestion: { startLine: 11, line: 11, text } }), "inline");

  test("offers a suggestion for committing only when GitHub would commit exactly that", () => {
    expect(offer("x = 1")).toContain("```suggestion\nx = 1\n```");
    expect(offer("```")).toContain("````suggestion\n```\n````");
    for (const text of ["/approve", "@dependabot merge", "@0xbot merge", "@0", "a\u202eb", "x\r"]) {
      expect(offer(text)).not.toContain("suggestion");
      expect(violations(offer(text), OURS)).toEqual([]);
    }
  });

  test("an empty suggestion deletes the lines", () => {
    expect(offer("")).toContain("```suggestion\n```");
  });

  test("a comment on a file names the lines and offers nothing to commit", () => {
    const placed = sampleReview().findings[1] as PlacedFinding;
    const comment = renderComment(sampleReview(), placed.finding, "file");
    expect(comment).toContain("About line 13 of this file.");
    expect(comment).not.toContain("suggestion");
  });

  test("for any finding, its comment is short enough and ends with its one marker", () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, fc.constantFrom("inline", "file"), (title, body, text, place) => {
        const one = finding({ title, body, suggestion: { startLine: 11, line: 11, text } });
        const comment = renderComment(sampleReview(), one, place);
        expect(comment.length).toBeLessThanOrEqual(BODY_LIMIT);
        expect(comment.endsWith(`<!-- kodiai:finding ${one.id} -->`)).toBe(true);
        expect(comment.match(/<!-- kodiai:/g)).toHaveLength(1);
      }),
      runs(5000),
    );
  });

  test("for any finding, its comment is inert", () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, fc.constantFrom("inline", "file"), (title, body, text, place) => {
        const one = finding({ title, body, suggestion: { startLine: 11, line: 11, text } });
        expect(violations(renderComment(sampleReview(), one, place), OURS)).toEqual([]);
      }),
      runs(1000),
    );
  });

  test("for any earlier comment it is inert, and its text allows to undo a decline", () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (reason, url, date) => {
        const precedent = { id: "mem_0123456789ab", url, outcome: "declined", date, similarity: 1, reason };
        const one = finding({ precedents: [precedent], source: "memory", rule: null });
        expect(violations(renderComment(sampleReview(), one, "inline"), OURS)).toEqual([]);
        const summary = renderSummary(sampleReview({ heldBack: [{ finding: one, reason, precedent }] }), []);
        expect(violations(summary, OURS)).toEqual([]);
        expect(summary).toContain("`/kodiai restore mem_0123456789ab`");
      }),
      runs(500),
    );
  });

  test("the longest finding stays under the limit", () => {
    for (const unit of ["<", "&", "\u202e", "`", "@ ", "👍", "/a\n", "```\n"]) {
      const text = unit.repeat(70_000);
      const one = finding({ title: text, body: text, rule: text, suggestion: { startLine: 11, line: 11, text } });
      expect(renderComment(sampleReview(), one, "inline").length).toBeLessThanOrEqual(BODY_LIMIT);
    }
  });
});

describe("renderSummary", () => {
  /** What is open, and the counts. */
  const line = (review: Review) => renderSummary(review, review.findings).split("\n\n", 2).join(" ");

  test("begins with what is open, and says where it is", () => {
    expect(line(sampleReview())).toBe(
      "**1 critical finding open, 4 milder** 2 inline, 1 on whole files, 1 below, 1 posted earlier. This review is **incomplete**, see below.",
    );
  });

  test("says when there was nothing to review, or nothing to say", () => {
    const none = { findings: [], heldBack: [], degraded: [] };
    expect(line(sampleReview(none))).toBe("**Nothing open** **No rule fired** in 4 files; no model read them.");
    const lost = { ...none, degraded: [{ part: "head-text", reason: "it was too long" }] };
    expect(line(sampleReview(lost))).toMatch(/^\*\*Nothing open in what was read\*\* /);
    expect(line(sampleReview({ ...none, reviewed: [] }))).toContain(
      "**Nothing to review**: 25 changed files, all left out.",
    );
    expect(line(sampleReview({ ...none, reviewed: [], leftOut: [] }))).toContain(
      "**Nothing to review**: no file was changed.",
    );
  });

  test("links lead to this repository at this commit, percent-encoded, and to plain text where GitHub renders", () => {
    const summary = renderSummary(sampleReview(), sampleReview().findings);
    expect(summary).toContain(
      `](https://github.com/acme/shop/blob/${HEAD}/docs/how%20to/%5Bdraft%5D%20guide.md?plain=1#L4-L9)`,
    );
    expect(violations(summary, OURS)).toEqual([]);
  });

  test("paths are grouped by reason, and those beyond twenty are counted", () => {
    const summary = renderSummary(sampleReview(), []);
    expect(summary).toContain("- lock file (2): `package-lock.json`, `web/yarn.lock`");
    expect(summary).toContain("- vendored (23): `vendor/zlib/file-0.c`");
    expect(summary).toContain("`vendor/zlib/file-19.c` and 3 more");
  });

  test("who wrote the pull request is not judged in public", () => {
    const summary = renderSummary(sampleReview(), sampleReview().findings);
    expect(summary).not.toMatch(/first-time|regular|core|merged pull requests/);
  });

  test("each finding is counted once in the headline, and once by its place", () => {
    const placed = fc.record({
      finding: fc.constantFrom(...SEVERITIES).map((severity) => finding({ severity })),
      place: fc.constantFrom("inline" as const, "file" as const, "summary" as const, "already-posted" as const),
      reason: fc.constant("a reason"),
    });
    const sum = (text = "") => [...text.matchAll(/\d+/g)].reduce((all, [count]) => all + Number(count), 0);
    fc.assert(
      fc.property(fc.array(placed, { minLength: 1, maxLength: 40 }), (findings) => {
        const review = sampleReview({ findings, heldBack: [], degraded: [], addressed: [] });
        const [headline, , places = ""] = renderSummary(review, findings).split("\n");
        expect(sum(headline)).toBe(findings.length);
        const atOnce = new Set(findings.map(({ place }) => place)).size === 1;
        const [where = ""] = places.split(" Equal findings");
        expect(sum(where)).toBe(atOnce ? 0 : findings.length);
      }),
      runs(2000),
    );
  });

  test("for any pull request, the summary is short enough and has one marker", () => {
    const some = fc.array(fc.tuple(hostile, hostile), { minLength: 1, maxLength: 2 });
    fc.assert(
      fc.property(some, hostile, hostile, (pairs, name, reason) => {
        const review = everywhere(pairs, name, reason);
        const summary = renderSummary(review, review.findings);
        expect(summary.length).toBeLessThanOrEqual(BODY_LIMIT);
        expect(summary.match(/<!-- kodiai:/g)).toHaveLength(1);
      }),
      runs(5000),
    );
  });

  test("for any pull request, the summary is inert [T10]", () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, hostile, (title, body, name, reason) => {
        const review = everywhere([[title, body]], name, reason);
        const local = { ...review, repo: { ...REPO, host: "local" } };
        expect(violations(renderSummary(review, review.findings), OURS)).toEqual([]);
        expect(violations(renderSummary(local, review.findings), OURS)).toEqual([]);
      }),
      runs(500),
    );
  });

  test("thousands of everything stay under the limit, and what did not fit is counted", () => {
    for (const unit of ["<", "word ", "/@x\n", "👍", "漢/"]) {
      const pairs = Array.from({ length: 3000 }, (_, index): [string, string] => [
        `${index}${unit.repeat(300)}`,
        unit.repeat(4000),
      ]);
      const review = everywhere(pairs, unit.repeat(300), unit.repeat(300));
      const summary = renderSummary(review, review.findings);
      expect(summary.length).toBeLessThanOrEqual(BODY_LIMIT);
      expect(summary).toMatch(/and \d+ more that did not fit here/);
      expect(summary).toMatch(/- and [\d,]+ more findings/);
      expect(violations(summary, OURS)).toEqual([]);
    }
  });
});

test("the review's own body is one line that links the summary", () => {
  const body = renderReviewBody(HEAD, REPO, "https://github.com/acme/shop/pull/7#issuecomment-1");
  expect(body).toBe(
    `Reviewed [\`4f1c2d9\`](https://github.com/acme/shop/commit/${HEAD}): see the [summary](https://github.com/acme/shop/pull/7#issuecomment-1).`,
  );
});

/** A review that holds the given texts wherever others can write. */
function everywhere(pairs: readonly (readonly [string, string])[], name: string, reason: string): Review {
  const sample = sampleReview();
  const findings = pairs.map(
    ([title, body], index): PlacedFinding => ({
      finding: finding({ title, body, path: title, rule: index % 2 === 0 ? name : null }),
      place: index % 3 === 0 ? "file" : "summary",
      reason,
    }),
  );
  return {
    ...sample,
    findings,
    heldBack: findings.map((one) => ({ finding: one.finding, reason })),
    leftOut: pairs.map(([path, why]) => ({ path, reason: why })),
    degraded: pairs.map(([part]) => ({ part, reason })),
    configProblems: pairs.map(([file, message]) => ({
      file,
      key: "",
      line: 1,
      column: null,
      severity: "notice",
      message,
    })),
    signals: {
      ...sample.signals,
      intent: {
        ...sample.signals.intent,
        scope: name,
        bump: {
          signs: ["title", "branch"],
          packageName: name,
          from: reason,
          to: name,
          step: "major",
        },
      },
      languages: pairs.map(([language]) => ({ language: "x", name: language, share: 0.1, files: 1, changedLines: 1 })),
      risks: pairs.map(([path, text]) => ({
        id: "network",
        text,
        evidence: [
          { path, line: 3 },
          { path: name, line: null },
        ],
      })),
    },
  };
}
