import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseTitle } from "../../src/analyze/title.ts";
import { runs } from "../property-runs.ts";

const head = (title: string) => {
  const { type, otherType, scope, breaking, subject } = parseTitle(title);
  return { type, otherType, scope, breaking, subject };
};

describe("the convention", () => {
  test.each([
    ["feat: add user login", "feat", null, "add user login"],
    [
      "refactor(clustering/rpc): DP do not need to instantiate concentrator",
      "refactor",
      "clustering/rpc",
      "DP do not need to instantiate concentrator",
    ],
    [
      "fix(AWS IAM): Prevent logs write access with disabled logging",
      "fix",
      "AWS IAM",
      "Prevent logs write access with disabled logging",
    ],
    [
      "fix(#11707): should replace multiple instances of a string test",
      "fix",
      "#11707",
      "should replace multiple instances of a string test",
    ],
    [
      "fix(theme:omicron): set `linenr*` and other minor fixes",
      "fix",
      "theme:omicron",
      "set `linenr*` and other minor fixes",
    ],
    ["feat(/review): support pull_request_review events", "feat", "/review", "support pull_request_review events"],
    ["docs(): add instructions for mac apps", "docs", null, "add instructions for mac apps"],
    ["PERF: Recover marshaling dump/load performance", "perf", null, "Recover marshaling dump/load performance"],
    [
      "Build(deps): Bump NJsonSchema from 10.0.17 to 10.0.18",
      "build",
      "deps",
      "Bump NJsonSchema from 10.0.17 to 10.0.18",
    ],
    ["chore(model-gallery): :arrow_up: update checksum", "chore", "model-gallery", ":arrow_up: update checksum"],
    ["🐛 fix(typescript): add missing named exports", "fix", "typescript", "add missing named exports"],
    [":recycle: refactor: Migrate HealthChecker to v3", "refactor", null, "Migrate HealthChecker to v3"],
    ["fix (remix-serve): fallback to default path", "fix", "remix-serve", "fallback to default path"],
    ["fix:typo", "fix", null, "typo"],
    ["feat：支持多语言", "feat", null, "支持多语言"],
  ])("%s", (title, type, scope, subject) => {
    expect(head(title)).toEqual({ type, otherType: null, scope, breaking: false, subject });
  });

  test.each(["feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "chore", "revert"])(
    "knows the type %s, with scope and breaking mark",
    (type) => {
      expect(head(`${type}(api)!: drop v1`)).toEqual({
        type,
        otherType: null,
        scope: "api",
        breaking: true,
        subject: "drop v1",
      });
    },
  );

  test("the breaking mark counts after the scope and without one, and nowhere else", () => {
    expect(parseTitle("fix(deps)!: send@^1.0.0").breaking).toBe(true);
    expect(parseTitle("feat!: v14").breaking).toBe(true);
    expect(parseTitle("fix: stop! it").breaking).toBe(false);
    expect(parseTitle("Watch out! fix: it").breaking).toBe(false);
  });

  test.each([
    [
      "ignore: always use literal_separator for gitignore patterns",
      "ignore",
      "always use literal_separator for gitignore patterns",
    ],
    ["hotfix: x", "hotfix", "x"],
    ["tests: update snapshots", "tests", "update snapshots"],
    ["constructor: call super first", "constructor", "call super first"],
    ["__proto__: do not touch", "__proto__", "do not touch"],
  ])("another word is kept as such: %s", (title, otherType, subject) => {
    expect(head(title)).toEqual({ type: null, otherType, scope: null, breaking: false, subject });
  });

  test.each([
    "Update player API",
    "Fix a bug in std::vector",
    "std::sort is slow",
    "test::unit fails on Windows",
    "docs://index is not found",
    "C:\\Users is not a repository",
    "https://example.com is down",
    "Fix[admin]: rename package",
    "chore/release: bump version to 0.35.0",
    "Fix node-release: all platforms",
    "build docs:",
  ])("no convention, no type: %s", (title) => {
    expect(head(title)).toEqual({ type: null, otherType: null, scope: null, breaking: false, subject: title });
  });
});

describe("tags", () => {
  test.each([
    ["[WIP] chore: get npm to grab token directly from env", ["wip"], "chore"],
    ["[STRICT-REVIEW] [minimal-review] fix(ui): x", ["strict-review", "minimal-review"], "fix"],
    ["[no-review][style-ok]feat: x", ["no-review", "style-ok"], "feat"],
    ["[security-review] - fix: check the signature", ["security-review"], "fix"],
    ["fix: tidy the cache [no-review]", ["no-review"], "fix"],
    ["WIP: fix: From `Assert.Throw` to `AssertEx.Throw`", ["wip"], "fix"],
    ["WIP feat: x", ["wip"], "feat"],
    ["Draft: feat: x", ["wip"], "feat"],
    ["(WIP) docs: x", ["wip"], "docs"],
    ["🚧 ci: Workflows have changed", ["wip"], "ci"],
  ])("commands are read and stripped before the type: %s", (title, commands, type) => {
    const parsed = parseTitle(title);
    expect(parsed.commands).toEqual(commands);
    expect(parsed.type).toBe(type);
    expect(parsed.subject).not.toMatch(/\[|^[-:]/);
  });

  test("a tag said twice counts once", () => {
    expect(parseTitle("[wip] [Wip] [WIP]")).toMatchObject({ commands: ["wip"], otherTags: [], subject: "" });
  });

  test("other leading tags are kept apart, and the text behind them is clean", () => {
    expect(parseTitle("[Locale][Testing] Fixed breaking tests")).toMatchObject({
      otherTags: ["locale", "testing"],
      subject: "Fixed breaking tests",
    });
    expect(parseTitle("[Docs]: Add note for parallel installation")).toMatchObject({
      otherTags: ["docs"],
      subject: "Add note for parallel installation",
    });
  });

  test.each([
    "Use $context['cache_key'] to enhance caching",
    "Fix: [git] JSONDiffForFile crashes",
    "parse args[wip]",
    "Explain [no-review] in the manual",
    "[the manual](https://example.com) moved",
    "Rename wip endpoint",
    "wip endpoint returns 404",
    "content: draft: update source_branches",
    "Drafting: rules",
    "Wipe the cache",
  ])("near misses are no tags: %s", (title) => {
    expect(parseTitle(title)).toMatchObject({ commands: [], otherTags: [] });
  });
});

describe("laws", () => {
  const words = fc.constantFrom(
    "[wip]",
    "[Draft] ",
    "[foo]",
    "[no-review]",
    "WIP: ",
    "WIP ",
    "🚧",
    ":boom:",
    "feat",
    "(x)",
    "!",
    ": ",
    " ",
    "[",
    "]",
    "-",
    "text",
  );
  const title = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(words, { maxLength: 12 }).map((parts) => parts.join("")),
  );

  test("stripping tags from a stripped title changes nothing", () => {
    fc.assert(
      fc.property(title, (text) => {
        const once = parseTitle(text).untagged;
        expect(parseTitle(once)).toMatchObject({ untagged: once, commands: [], otherTags: [] });
      }),
      runs(2_000),
    );
  });

  test("adding a leading command tag changes only the commands", () => {
    fc.assert(
      fc.property(title, (text) => {
        const { commands: _with, ...tagged } = parseTitle(`[style-ok] ${parseTitle(text).untagged}`);
        const { commands: _without, ...plain } = parseTitle(parseTitle(text).untagged);
        // What follows a tag may begin with the mark that separates them.
        if (!/^[-:–—]/.test(plain.untagged)) expect(tagged).toEqual(plain);
      }),
      runs(2_000),
    );
  });
});
