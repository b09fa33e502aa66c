import { expect, test } from "vitest";
import { assessAuthor } from "../../src/analyze/analyze.ts";

test.each([
  ["OWNER", null, "core", "association OWNER"],
  ["MEMBER", 0, "core", "association MEMBER"],
  ["owner", 12, "core", "association OWNER"],
  ["FIRST_TIMER", 50, "first-time", "association FIRST_TIMER"],
  ["FIRST_TIME_CONTRIBUTOR", null, "first-time", "association FIRST_TIME_CONTRIBUTOR"],
  ["CONTRIBUTOR", 1, "first-time", "1 merged pull request"],
  ["NONE", 0, "first-time", "0 merged pull requests"],
  ["NONE", 2, "regular", "2 merged pull requests"],
  ["COLLABORATOR", 9, "regular", "9 merged pull requests"],
  ["NONE", 10, "core", "10 merged pull requests"],
  ["COLLABORATOR", null, "regular", "association COLLABORATOR"],
  ["CONTRIBUTOR", null, "regular", "association CONTRIBUTOR"],
  ["NONE", null, "first-time", "association NONE"],
  ["", null, "first-time", "association unknown"],
  ["constructor", null, "first-time", "association CONSTRUCTOR"],
] as const)("an author with association %j and %j merged pull requests is %s", (association, merged, tier, because) => {
  // With neither a count nor an association that says something nobody knows who it is.
  const isKnown = merged !== null || !["NONE", "", "constructor"].includes(association);
  expect(assessAuthor({ association }, { mergedPullRequests: merged })).toEqual({ tier, because, isKnown });
});
