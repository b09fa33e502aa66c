import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SeenBefore } from "../../src/domain/retrieval.ts";
import { renderSummary } from "../../src/publish/render-summary.ts";
import { NO_MEMORY } from "../review/given.ts";
import { runs } from "../runs.ts";
import { hostile } from "./hostile.ts";
import { violations } from "./inert.ts";
import { sampleReview } from "./sample-review.ts";

const OURS = {
  html: /^(?:<\/?sub>|<details><summary>[\w ]+<\/summary>|<\/details>|<!-- kodiai:(?:summary|finding \w+) -->)$/,
  links:
    /^https:\/\/github\.com\/acme\/shop\/(?:(?:blob|commit)\/[0-9a-f]{40}|pull\/\d+#discussion_r\d+$)[\w./%?=#-]*$/,
};

/** Any plain address on the repository's own GitHub: memory may have been imported from anywhere. */
const PLAIN = /^https:\/\/github\.com\/[\w./?=&%#~+-]*$/;

const SEEN: SeenBefore = {
  memoryId: "mem_1",
  path: "src/cart/price.cpp",
  url: "https://github.com/acme/shop/pull/3#discussion_r71",
  outcome: "fixed",
  date: "2026-10-22",
  similarity: 0.951,
};

/** The summary's lines under "Seen before here:"; null when it does not say so. */
function told(...seenBefore: readonly SeenBefore[]): readonly string[] | null {
  const lines = summary(seenBefore).split("\n");
  const head = lines.indexOf("**Seen before here:**");
  if (head === -1) return null;
  const rest = lines.slice(head + 2);
  return rest.slice(0, rest.indexOf(""));
}

function summary(seenBefore: readonly SeenBefore[]): string {
  const review = sampleReview({ memory: { ...NO_MEMORY, seenBefore } });
  return renderSummary(review, review.findings);
}

describe("what was seen before", () => {
  test("stands in the summary with its link, what came of it and when", () => {
    expect(told(SEEN)).toEqual([
      "- `src/cart/price.cpp`: code like this [was commented on (fixed)](https://github.com/acme/shop/pull/3#discussion_r71) on 2026-10-22, 95 % alike",
    ]);
    expect(violations(summary([SEEN]), OURS)).toEqual([]);
  });

  test("each has a line of its own, in the order in which they came", () => {
    const second = { ...SEEN, path: "src/cart/total.cpp", outcome: "declined", similarity: 0.9 } as const;
    expect(told(SEEN, second)).toEqual([
      expect.stringMatching(/^- `src\/cart\/price\.cpp`: .*\(fixed\).* 95 % alike$/),
      expect.stringMatching(/^- `src\/cart\/total\.cpp`: .*\(declined\).* 90 % alike$/),
    ]);
  });

  test("without an address, a date or an outcome those are left out", () => {
    expect(told({ ...SEEN, url: null, date: "", outcome: "unknown" })).toEqual([
      "- `src/cart/price.cpp`: code like this was commented on, 95 % alike",
    ]);
  });

  test("nothing seen, nothing said", () => {
    expect(told()).toBeNull();
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
    const [line = "", ...more] = told({ ...SEEN, url }) ?? [];
    expect(more).toEqual([]);
    expect(line).toMatch(
      /^- `src\/cart\/price\.cpp`: code like this was commented on \(fixed\) at `[^`]+` on 2026-10-22,/,
    );
    expect(violations(summary([{ ...SEEN, url }]), OURS)).toEqual([]);
  });

  test("a path that is Markdown is shown, not obeyed", () => {
    const path = "a`b](https://evil.example)\n/approve @octocat.md";
    expect(violations(summary([{ ...SEEN, path }]), OURS)).toEqual([]);
    expect(told({ ...SEEN, path })).toHaveLength(1);
  });

  test("whatever path, address and date say, the summary is inert", () => {
    const evil = fc.record({ path: hostile, url: hostile, date: hostile });
    fc.assert(
      fc.property(fc.array(evil, { minLength: 1, maxLength: 3 }), (all) => {
        const seenBefore = all.map((one) => ({ ...SEEN, ...one }));
        expect(violations(summary(seenBefore), { ...OURS, links: PLAIN })).toEqual([]);
      }),
      runs(500),
    );
  }, 300_000);
});
