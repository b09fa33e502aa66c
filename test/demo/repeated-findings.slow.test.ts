// The demo as a visitor sees it, with the real app: from an imported review to a finding that comes
// back.
import { expect, test } from "vitest";
import { runDemo } from "../../demo/first-review.ts";
import { PULL_REQUEST } from "../../demo/pull-request.ts";
import { repeatedFindings } from "../../demo/repeated-findings.ts";
import { startApp } from "../../demo/start-app.ts";

test("earlier reviews are imported, a declined finding is held back with its reason, and a fixed one is reported when it comes back [005-09]", async () => {
  const printed: string[] = [];
  const counts = await runDemo(
    startApp,
    { colours: false, print: (text) => void printed.push(text) },
    repeatedFindings,
  );
  expect(counts).toEqual({ reviews: 1, inline: 10, languages: 4, imported: 1, heldBack: 1, reintroduced: 1 });
  const text = printed.join("\n");
  expect(text).toMatch(/held back: .*src\/rates\.py:5 — declined on #1 by @lena on .*timeout on purpose/);
  expect(text).toMatch(/posted: ops\/nightly\.py: This re-introduces what #1 fixed on \d{4}-\d\d-\d\d\./);
  expect(text).toContain(
    "ines on #1 (2026-03-02, fixed): *Give subprocess.run a list and leave shell=True out: a name",
  );
  // The pull request does not touch this file: only the repository shows the call.
  expect(Object.keys(PULL_REQUEST.files)).not.toContain("src/profile.ts");
  expect(text).toContain("Called as before in `src/profile.ts:7`: with 3 arguments, where it takes 4.");
  expect(text).not.toMatch(/ms {2}undefined/);
});
