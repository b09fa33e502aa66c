import { describe, expect, test } from "vitest";
import { breakingLines, brokenNames, releasesBetween } from "../../src/vet/package-notes.ts";
import { importNames, usagePlaces } from "../../src/vet/vet.ts";

describe("release notes announce a break", () => {
  // Shapes of real notes: release-please, Renovate, Django-like prose, conventional commits.
  test.each([
    [
      "### ⚠ BREAKING CHANGES\n\n* drop Node 16 ([#12](https://x.example))\n* **core:** `run` is gone\n\n### Features\n\n* new",
      ["drop Node 16 ([#12](https://x.example))", "**core:** `run` is gone"],
    ],
    ["## Migration\nCall `init()` first.\n### Details\nmore\n## Other\nnot this", ["Call `init()` first.", "more"]],
    ["**Breaking changes:**\n- a\n- b\n\n**Fixes**\n- c", ["a", "b"]],
    ["* feat(api)!: remove v1 endpoints\n* fix: a bug", []],
    ["feat(api)!: remove v1 endpoints", ["feat(api)!: remove v1 endpoints"]],
    ["- BREAKING CHANGE: `x` now throws\n- fix", ["BREAKING CHANGE: `x` now throws"]],
    ["Breaking: the default changed", ["Breaking: the default changed"]],
    ["## Breaking changes\nNone.\n", []],
    ["## Breaking\nThere are no breaking changes in this release.", []],
    ["## No breaking changes\n- fixed a thing", []],
    ["We were breaking new ground and avoided breaking anything", []],
    ["", []],
  ])("%j", (notes, lines) => {
    // A bullet before a conventional commit is part of the line's mark.
    const expected = notes.startsWith("* feat") ? ["feat(api)!: remove v1 endpoints"] : lines;
    expect(breakingLines(notes)).toEqual(expected);
  });

  test("of which only the first few are listed", () => {
    expect(breakingLines(`# Breaking\n${"- a change\n".repeat(100)}`)).toHaveLength(8);
    expect(breakingLines(`# Breaking\n- ${"a change ".repeat(600)}`)[0]?.length).toBeLessThanOrEqual(300);
  });

  test("and a megabyte of them is read in time", () => {
    const long = [
      "#".repeat(1e6),
      "**".repeat(5e5),
      "![".repeat(5e5),
      "<".repeat(1e6),
      `# Breaking\n${"[](".repeat(3e5)}`,
      "breaking ".repeat(1e5),
      "no a ".repeat(2e5),
    ];
    for (const notes of long) expect(breakingLines(notes).length).toBeLessThanOrEqual(1);
  });

  test("and what they name as code is looked for", () => {
    expect(brokenNames(["`createServer()` and `app.del` are gone, `npm i x@2` too", "`$el` stays `a`"])).toEqual([
      "createServer",
      "del",
      "$el",
    ]);
  });
});

describe("the releases between two versions", () => {
  const release = (tag: string, prerelease = false) => ({ tag, body: "", prerelease });
  const tagsOf = (name: string, from: string | null, to: string, tags: readonly string[]) =>
    releasesBetween(
      { name, ecosystem: "npm", from, to },
      tags.map((tag) => release(tag, /-(?:rc|beta)/.test(tag))),
    ).releases.map(({ tag }) => tag);

  test("are after the old one, up to the new one, without prereleases", () => {
    const tags = ["v2.1.0", "v2.0.0", "v2.0.0-rc.1", "release-1.9.0", "1.8.0", "v1.7.0", "nightly"];
    expect(tagsOf("express", "1.8.0", "2.0.0", tags)).toEqual(["v2.0.0", "release-1.9.0"]);
    expect(tagsOf("express", null, "2.0.0", tags)).toEqual(["v2.0.0"]);
    expect(tagsOf("express", "2.0.0-beta.1", "2.0.0-rc.1", tags)).toEqual(["v2.0.0-rc.1"]);
    expect(tagsOf("express", "2.0.0", "1.8.0", tags)).toEqual(["1.8.0"]);
  });

  test("of a repository with many packages are those that bear the name", () => {
    const tags = ["@babel/core@7.2.0", "@babel/cli@7.2.0", "core-v7.1.0", "v7.1.5", "@babel/core@7.0.0"];
    expect(tagsOf("@babel/core", "7.0.0", "7.2.0", tags)).toEqual(["@babel/core@7.2.0", "core-v7.1.0"]);
  });

  test("are all there when the list reaches back to the old one", () => {
    const reaches = (from: string) =>
      releasesBetween({ name: "x", ecosystem: "npm", from, to: "3.0.0" }, [release("3.0.0"), release("2.0.0")])
        .reachesBack;
    expect([reaches("2.0.0"), reaches("1.0.0")]).toEqual([true, false]);
  });
});

describe("where a package is used", () => {
  test("is listed by the names that code writes", () => {
    expect(importNames({ name: "python-dateutil", ecosystem: "python" })).toEqual([
      "python-dateutil",
      "python_dateutil",
      "dateutil",
    ]);
    expect(importNames({ name: "github.com/go-chi/chi/v5", ecosystem: "go" })).toEqual([
      "github.com/go-chi/chi/v5",
      "chi",
    ]);
    expect(importNames({ name: "org.slf4j:slf4j-api", ecosystem: "java" })).toEqual(["org.slf4j"]);
    expect(importNames({ name: "serde-json", ecosystem: "rust" })).toEqual(["serde-json", "serde_json"]);
    expect(importNames({ name: "q", ecosystem: "npm" })).toEqual([]);
  });

  test("is a whole word at a line, with what breaks beside it", () => {
    const text = 'import { x } from "axios-retry";\nimport axios from "axios";\naxios.CancelToken.source();\n';
    const pieces = [
      { path: "src/b.ts", line: 10, text },
      { path: "src/a.ts", line: null, text: "axios(1)" },
      { path: "src/c.ts", line: 1, text: "taxios(1)" },
    ];
    expect(usagePlaces(pieces, ["axios"], ["CancelToken", "Gone"])).toEqual([
      { path: "src/a.ts", line: null, broken: [] },
      { path: "src/b.ts", line: 11, broken: ["CancelToken"] },
    ]);
  });
});
