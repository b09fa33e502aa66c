import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SeenBefore } from "../../src/domain/retrieval.ts";
import { renderSummary } from "../../src/publish/render-summary.ts";
import { runs } from "../property-runs.ts";
import { NO_MEMORY } from "../review/review-builders.ts";
import { violations } from "./github-markdown.ts";
import { hostile } from "./hostile-text.ts";
import { OURS } from "./posted-review.ts";
import { sampleReview } from "./sample-review.ts";

/**
 * Any plain address on the repository's own GitHub: memory may have been imported from anywhere.
 */
const PLAIN = /^https:\/\/github\.com\/[\w./?=&%#~+-]*$/;

const SEEN: SeenBefore = {
  memoryId: "mem_1",
  path: "src/cart/price.cpp",
  url: "https://github.com/acme/shop/pull/3#discussion_r71",
  outcome: "fixed",
  date: "2026-10-22",
  similarity: 0.951,
  author: "ines",
  pull: 3,
  quote: "Round once, at the end.",
};

/** The summary's lines under "Said here before:"; null when it does not say so. */
function reported(...seenBefore: readonly SeenBefore[]): readonly string[] | null {
  const lines = summary(seenBefore).split("\n");
  const head = lines.indexOf("**Said here before:**");
  if (head === -1) return null;
  const rest = lines.slice(head + 2);
  return rest.slice(0, rest.indexOf(""));
}

function summary(seenBefore: readonly SeenBefore[]): string {
  const review = sampleReview({ memory: { ...NO_MEMORY, seenBefore } });
  return renderSummary(review, review.findings);
}

describe("what was seen before", () => {
  test("is in the summary with its link, its outcome and its date", () => {
    expect(reported(SEEN)).toEqual([
      "- ines on [#3](https://github.com/acme/shop/pull/3#discussion_r71) (2026-10-22, fixed): *Round once, at the end.* → `src/cart/price.cpp` (code 95% similar)",
    ]);
    expect(violations(summary([SEEN]), OURS)).toEqual([]);
  });

  test("each has a line of its own, in the order in which they came", () => {
    const second = {
      ...SEEN,
      memoryId: "mem_2",
      path: "src/cart/total.cpp",
      outcome: "declined",
      similarity: 0.9,
    } as const;
    expect(reported(SEEN, second)).toEqual([
      expect.stringMatching(/, fixed\): .* → `src\/cart\/price\.cpp` \(code 95% similar\)$/),
      expect.stringMatching(/, declined\): .* → `src\/cart\/total\.cpp` \(code 90% similar\)$/),
    ]);
  });

  test("without an address, a date, an outcome, an author or words those are left out", () => {
    expect(reported({ ...SEEN, url: null, date: "", outcome: "unknown" })).toEqual([
      "- ines on `#3`: *Round once, at the end.* → `src/cart/price.cpp` (code 95% similar)",
    ]);
    const { author: _, pull: __, quote: ___, ...bare } = SEEN;
    expect(reported(bare)).toEqual([
      "- Kodiai [earlier](https://github.com/acme/shop/pull/3#discussion_r71) (2026-10-22, fixed) → `src/cart/price.cpp` (code 95% similar)",
    ]);
  });

  test("nothing seen, nothing said", () => {
    expect(reported()).toBeNull();
  });

  test.each([
    "javascript:alert(1)",
    "https://evil.example/a) ![x](https://evil.example/p.png",
    'https://evil.example/a "t"',
    "https://evil.example/a\n/approve",
    "https://evil.example/<img>",
    "//evil.example",
    "https://evil.example/acme/shop/pull/3",
    "http://github.com/acme/shop/pull/3",
  ])("an address that is none, or elsewhere, is shown and not linked: %j", (url) => {
    const [line = "", ...more] = reported({ ...SEEN, url }) ?? [];
    expect(more).toEqual([]);
    expect(line).toMatch(/^- ines at `[^`]+` \(2026-10-22, fixed\): \*Round once/);
    expect(violations(summary([{ ...SEEN, url }]), OURS)).toEqual([]);
  });

  test("a path that is Markdown is shown, not obeyed", () => {
    const path = "a`b](https://evil.example)\n/approve @octocat.md";
    expect(violations(summary([{ ...SEEN, path }]), OURS)).toEqual([]);
    expect(reported({ ...SEEN, path })).toHaveLength(1);
  });

  test("for any path, address, date, author and text, the summary is inert", () => {
    const evil = fc.record({ path: hostile, url: hostile, date: hostile, author: hostile, quote: hostile });
    fc.assert(
      fc.property(fc.array(evil, { minLength: 1, maxLength: 3 }), (all) => {
        const seenBefore = all.map((one, at) => ({ ...SEEN, ...one, memoryId: `mem_${at}` }));
        expect(violations(summary(seenBefore), { ...OURS, links: PLAIN })).toEqual([]);
      }),
      runs(500),
    );
  });
});
