// The walk that docs/walkthrough.md shows is the walk that the code takes.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { walkthroughPage } from "../../demo/walkthrough.ts";
import { diffHolds } from "../../demo/walkthrough-change.ts";

test("the page is what `node demo/walkthrough.ts` would write", async () => {
  expect(readFileSync("docs/walkthrough.md", "utf8")).toBe(await walkthroughPage());
});

test("its diff is the one between the two texts of the file", () => {
  expect(diffHolds()).toBe(true);
});

test("memory, prompt, reply, comment and summary are all on it", () => {
  const page = readFileSync("docs/walkthrough.md", "utf8");
  for (const part of [
    '"trigger": "opened"',
    "## What was said before about code like this",
    "### FILE player/thumbnails.py",
    "on [#31](https://github.com/acme/player/pull/31#discussion_r310) (2026-06-01, accepted)",
    "1 memory before, 2 after",
  ]) {
    expect(page).toContain(part);
  }
});
