import { describe, expect, test } from "vitest";
import { defaultConfig, type RepoConfig } from "../../src/config/repo-config.ts";
import type { PullRequest } from "../../src/domain/pull-request.ts";
import { skipReason } from "../../src/gather/policy.ts";
import { aJob, aPull } from "../fakes/pull-requests.ts";

function why(pull: Partial<PullRequest>, review: Partial<RepoConfig["review"]> = {}, explicit = false): string | null {
  const skip = skipReason(aJob({ explicit }), aPull(pull), { ...defaultConfig().review, ...review }, null);
  return skip?.text ?? null;
}

const dependabot = { login: "dependabot[bot]", id: 49699333, type: "Bot", association: "NONE" } as const;

test("a person's open pull request goes on", () => {
  expect(why({})).toBeNull();
});

describe("drafts", () => {
  test("are left alone unless the configuration wants them", () => {
    expect(why({ draft: true })).toBe("the pull request is a draft");
    expect(why({ draft: true }, { drafts: true })).toBeNull();
  });
});

describe("bots", () => {
  const bot = (login: string) => ({ author: { ...dependabot, login, id: 4_242 } });
  const AGENTS = ["Copilot", "claude[bot]", "chatgpt-codex-connector[bot]", "cursor[bot]", "devin-ai-integration[bot]"];

  test.each([...AGENTS, "google-labs-jules[bot]", "dependabot[bot]", "renovate[bot]"])(
    "%s is reviewed, on any GitHub",
    (login) => expect(why(bot(login))).toBeNull(),
  );

  test.each(["release-please[bot]", "crowdin[bot]", "dependab0t[bot]"])("%s is not, unless it is listed", (login) => {
    expect(why(bot(login))).toBe(`opened by a bot, ${login}, that review.bots leaves out`);
    expect(why(bot(login), { bots: ["agents", login.replace("[bot]", "")] })).toBeNull();
    expect(why(bot(login), { bots: [login.toUpperCase()] })).toBeNull();
    expect(why(bot(login), { bots: "all" })).toBeNull();
    expect(why(bot(login), {}, true)).toBeNull();
  });

  test.each([
    ["weblate[bot]", ["web*"], true],
    ["weblate[bot]", ["@Weblate"], true],
    ["weblate[bot]", ["*[bot]"], true],
    ["weblate[bot]", ["agents", "web*", "!weblate"], false],
    ["cursor[bot]", ["agents", "!cursor"], false],
    ["claude[bot]", ["agents", "!cursor"], true],
    ["claude[bot]", ["!cursor"], true],
    ["weblate[bot]", ["!cursor"], false],
    ["claude[bot]", [], false],
    ["claude[bot]", ["["], false],
    ["github-actions[bot]", ["all"], true],
    ["github-actions[bot]", ["All", "!github-actions"], false],
    ["claude[bot]", ["!agents", "all"], false],
    ["claude[bot]", ["AGENTS"], true],
    ["claude[bot]", ["none"], false],
    ["claude[bot]", ["!all"], false],
  ] as const)("%s with the list %j is reviewed: %s", (login, bots, isReviewed) => {
    expect(why(bot(login), { bots: [...bots] }) === null).toBe(isReviewed);
  });

  test("`none` leaves out agents too, a list those that it does not name, and neither a person", () => {
    expect(why(bot("claude[bot]"), { bots: "none" })).not.toBeNull();
    expect(why(bot("claude[bot]"), { bots: ["renovate"] })).not.toBeNull();
    expect(why({ author: { ...dependabot, type: "User" } }, { bots: "none" })).toBeNull();
  });
});

describe("authors", () => {
  const by = (login: string) => ({ author: { login, id: 4_243, type: "User", association: "NONE" } }) as const;

  test.each([
    ["wren", ["wren"], true],
    ["Wren", ["WREN"], true],
    ["lena", ["wren"], false],
    ["team-lena", ["team-*"], true],
    ["lena", ["!wren"], true],
    ["wren", ["!wren"], false],
    ["wren", ["!wren", "wren"], false],
    ["team-intern", ["team-*", "!*-intern"], false],
    ["wren", ["{lena,wren}"], true],
    ["wren", ["["], false],
    ["wren", ["wre"], false],
    ["wren", ["@Wren"], true],
    ["wren", ["*", "!@wren"], false],
    ["wren", ["!*[bot]"], true],
  ] as const)("%s with %j is reviewed: %s", (login, authors, isReviewed) => {
    const said = why(by(login), { authors: [...authors] });
    expect(said).toBe(isReviewed ? null : `review.authors leaves out its author ${login}`);
  });

  test("patterns choose among people, and only `!` leaves out a bot", () => {
    expect(why({ author: dependabot }, { authors: ["wren"] })).toBeNull();
    for (const pattern of ["!dependabot", "!dependabot[bot]", "!Depend*", "!*[bot]", "!@dependabot"])
      expect(why({ author: dependabot }, { authors: [pattern] })).toContain("review.authors leaves out its author");
  });
});

describe("titles", () => {
  test.each([
    ...["[WIP] Fix login bug", "Fix login bug [draft]", "fix: x [no-review]", "[ wip ] x"],
    ...["WIP: login", "wip: login", "Draft: login", "(WIP) login", "[Work in Progress] login", "🚧 login"],
  ])("%s is not reviewed now, unless a person asks", (title) => {
    expect(why({ title })).toMatch(/^the title is tagged \[/);
    expect(why({ title }, {}, true)).toBeNull();
  });

  test.each([
    "Draft of the rewiping logic",
    "[Windows] Update tests",
    "fix: wip",
    "feat: [drafts] list",
    "fix: [wip] x",
  ])("%s is an ordinary title", (title) => {
    expect(why({ title })).toBeNull();
  });

  test("a keyword counts as a word of its own, in any case", () => {
    const ignoring = { ignoreTitleKeywords: ["tab", "do not review", "C++"] };
    expect(why({ title: "Close the Tab twice" }, ignoring)).toBe(
      'the title contains "tab", one of review.ignoreTitleKeywords',
    );
    expect(why({ title: "chore: DO NOT REVIEW, testing CI" }, ignoring)).not.toBeNull();
    expect(why({ title: "port to C++20" }, ignoring)).not.toBeNull();
    expect(why({ title: "Make the table stable" }, ignoring)).toBeNull();
    expect(why({ title: "tablature: show each tab" }, ignoring)).not.toBeNull();
  });
});

const isAdmitted = (ref: string, pattern: string) =>
  why({ base: { ref, sha: "1" } }, { baseBranches: [pattern] }) === null;

describe("base branches", () => {
  test("without patterns every branch is reviewed", () => {
    expect(why({ base: { ref: "anything/at/all", sha: "1" } })).toBeNull();
  });

  test("patterns name what is wanted, a ! what is not", () => {
    const only = { baseBranches: ["main", "release/*", "!release/19.*"] };
    const at = (ref: string) => why({ base: { ref, sha: "1" } }, only);
    expect(at("main")).toBeNull();
    expect(at("release/21.0")).toBeNull();
    expect(at("release/19.5")).toBe("review.baseBranches leaves out the base branch release/19.5");
    expect(at("maintenance")).not.toBeNull();
    expect(why({ base: { ref: "maintenance", sha: "1" } }, only, true)).toBeNull();
  });

  test("only unwanted patterns admit all the rest", () => {
    expect(why({ base: { ref: "main", sha: "1" } }, { baseBranches: ["!gh-pages"] })).toBeNull();
    expect(why({ base: { ref: "gh-pages", sha: "1" } }, { baseBranches: ["!gh-pages"] })).not.toBeNull();
  });

  test.each([
    ["release/*", "release/21", true],
    ["release/*", "release/21/hotfix", false],
    ["release/**", "release/21/hotfix", true],
    ["release**", "release/21", true],
    ["{main,release/*}", "release/21", true],
    ["**", "a/b", true],
    ["*", "a/b", false],
    ["v?.x", "v2.x", true],
    ["v?.x", "v/.x", false],
    ["v1.0", "v1x0", false],
    ["Main", "main", false],
    ["*-stable", "-stable", true],
    ["feature/(a+)+$", "feature/(a+)+$", true],
    ["Nexus*", "Nexus😀", true],
    ["", "", true],
  ])("%s against %s: %s", (pattern, branch, expected) => {
    expect(isAdmitted(branch, pattern)).toBe(expected);
  });

  test("a pattern made to be slow is not", () => {
    expect(isAdmitted("a".repeat(255), `${"*a".repeat(240)}b`)).toBe(false);
    expect(isAdmitted("a".repeat(255), `${"**a".repeat(160)}b`)).toBe(false);
  });
});

describe("labels", () => {
  test("are compared whole and without regard to case", () => {
    expect(why({ labels: ["Component: Video"] }, { labels: ["component: video"] })).toBeNull();
    expect(why({ labels: ["Component: Videos"] }, { labels: ["component: video"] })).toBe(
      "review.labels leaves out its labels",
    );
    expect(why({ labels: ["ok", "no-bot"] }, { labels: ["!no-bot"] })).not.toBeNull();
    expect(why({ labels: ["ok"] }, { labels: ["!no-bot"] })).toBeNull();
    expect(why({ labels: [] }, { labels: ["ready"] }, true)).toBeNull();
  });
});
