// docs/walkthrough.md shows what the code does.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { walkthroughPage } from "../../demo/walkthrough.ts";
import { diffHolds } from "../../demo/walkthrough-change.ts";

test("the page is what `node demo/walkthrough.ts` would write", async () => {
  expect(readFileSync("docs/walkthrough.md", "utf8")).toBe(await walkthroughPage());
});

test("its diff is the difference between the two texts of the file", () => {
  expect(diffHolds()).toBe(true);
});

test("the page shows memory, prompt, reply, comment and summary", () => {
  const page = readFileSync("docs/walkthrough.md", "utf8");
  for (const part of [
    '"trigger": "opened"',
    "## What was said before about code like this",
    "### FILE player/thumbnails.py",
    "on [#31](https://github.com/acme/player/pull/31#discussion_r310) (2026-06-01, accepted)",
    "return image.resize((160, 90))",
    "`tile` resizes what are bytes now",
    "1 memory before, 3 after",
  ]) {
    expect(page).toContain(part);
  }
});
