import { describe, expect, test } from "vitest";
import { isRevert } from "../../src/analyze/intent.ts";
import { intentProse } from "../../src/analyze/intent-prose.ts";
import { parseTitle } from "../../src/analyze/title.ts";

const SHA = "6c03776d743edfdffc3e347a7d7249864b5e2447";
const read = (title: string, body: string | null = null, commits: string[] = []) =>
  isRevert({
    title: parseTitle(title),
    body: intentProse(body ?? ""),
    commits: commits.map((message) => intentProse(message)),
  });

describe("reverts", () => {
  test.each([
    ['Revert "Use `is null` syntax"', `This reverts commit ${SHA}.`],
    ['Revert "Use manylinux: auto (#3444)"', "Reverts astral-sh/uv#3444\n\nCloses #9"],
    ['Revert "Add map view to leaderboard (#81)"', null],
    ['Revert "Update prow to v20190725-38ed02f62, and other images as neces…', null],
    ['Revert "Revert "add build""', null],
    ["revert: feat(ui): add login", `This reverts commit ${SHA.slice(0, 7)}.`],
    ["Revert #987 behavior on macos", null],
    ["Put colours back", "Reverts #3280."],
    ["Put colours back", "Reverts https://github.com/ppy/osu/pull/3280"],
    [`revert commit ${SHA}`, null],
  ])("%s / %s", (title, body) => expect(read(title, body)).toBe(true));

  test("a single commit may say it", () => {
    expect(read("Back to the old cache", null, [`Revert "New cache"\n\nThis reverts commit ${SHA}.`])).toBe(true);
  });
});

describe("no reverts", () => {
  test.each([
    ["Revert to the old default", null],
    ["Reverting works again", null],
    ["chore(patches): backport revert override of ljitd", null],
    ["fix: revert dependency upgrades", null],
    ["Update flags", "This PR reverts the default to 5."],
    ["Update flags", "Reverts defaced pages to their old form."],
    ["Update flags", "First line.\n\nThis reverts commit 1f9d54fcd5f301c95ada1ff5d539aa4e701761c1."],
    ["Update flags", "```\nThis reverts commit 1f9d54fcd5f301c95ada1ff5d539aa4e701761c1.\n```"],
  ])("%s / %s", (title, body) => expect(read(title, body)).toBe(false));

  test("among many commits one takes back another", () => {
    expect(read("New cache", null, ["New cache", `Revert "x"\n\nThis reverts commit ${SHA}.`])).toBe(false);
  });
});
