// The demo as a visitor sees it, with the real app: the whole circle, from the past to what comes back.
import { expect, test } from "vitest";
import { walk } from "../../demo/first-review.ts";
import { PULL_REQUEST } from "../../demo/pull-request.ts";
import { circle } from "../../demo/repeated-findings.ts";
import { startApp } from "../../demo/start-app.ts";

test("the past is imported, what was declined is held back with its reason, what was fixed is told when it comes back", async () => {
  const told: string[] = [];
  const counts = await walk(startApp, { colours: false, print: (text) => void told.push(text) }, circle);
  expect(counts).toEqual({ reviews: 1, inline: 10, languages: 4, imported: 1, heldBack: 1, reintroduced: 1 });
  const text = told.join("\n");
  expect(text).toMatch(/held back: .*src\/parse\.py:1 — declined on #1 by @lena on .*shared on purpose/);
  expect(text).toMatch(/said: ops\/nightly\.py: This re-introduces what #1 fixed on \d{4}-\d\d-\d\d\./);
  expect(text).toContain(
    "ines on #1 (2026-03-02, fixed): *Give subprocess.run a list and leave shell=True out: a name",
  );
  // A file that the pull request does not touch: only the repository shows it.
  expect(Object.keys(PULL_REQUEST.files)).not.toContain("src/profile.ts");
  expect(text).toContain("Called as before in `src/profile.ts:7`: with 3 arguments, where it takes 4.");
  expect(text).not.toMatch(/ms {2}undefined/);
});
