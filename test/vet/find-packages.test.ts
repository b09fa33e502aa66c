// Which packages an update moves: from the dependency graph, the manifests' diffs, and what a bot writes.

import { describe, expect, test } from "vitest";
import type { DependencyBump } from "../../src/domain/signals.ts";
import { findPackages, packagesFromDescription } from "../../src/vet/find-packages.ts";
import { manifestReader } from "../../src/vet/manifest-line.ts";
import { sourceRepository } from "../../src/vet/package-notes.ts";
import { fileDiff } from "../review/review-builders.ts";

const BUMP: DependencyBump = {
  source: "dependabot",
  signs: ["title", "branch"],
  packageName: "lodash",
  from: "4.17.20",
  to: "4.17.21",
  ecosystem: "npm",
  group: false,
  step: "patch",
};
const GROUP: DependencyBump = { ...BUMP, packageName: null, from: null, to: null, group: true };

const MANIFEST = fileDiff(
  "web/package.json",
  [
    "@@ -3,4 +3,4 @@",
    '   "dependencies": {',
    '-    "lodash": "^4.17.20",',
    '+    "lodash": "^4.17.21",',
    '     "rc": "1.2.8"',
    "   }",
  ].join("\n"),
);

function row(change: "added" | "removed", name: string, version: string, more: object = {}) {
  return {
    change,
    name,
    version,
    manifest: "package-lock.json",
    ecosystem: "npm",
    licence: null,
    sourceUrl: null,
    advisories: [],
    ...more,
  };
}

describe("a line of a manifest", () => {
  test.each([
    ["package.json", '    "@types/node": "^20.1.0",', "npm @types/node 20.1.0"],
    ["package.json", '  "version": "1.2.3",', null],
    ["composer.json", '        "monolog/monolog": "^2.0",', "php monolog/monolog 2.0"],
    ["requirements.txt", "requests[socks]==2.31.0 ; python_version > '3'", "python requests 2.31.0"],
    ["requirements/dev.txt", "Django~=4.2", "python Django 4.2"],
    ["requirements.txt", "-r base.txt", null],
    ["pyproject.toml", '    "httpx>=0.24.1",', "python httpx 0.24.1"],
    ["pyproject.toml", 'django = {extras = ["bcrypt"], version = "^4.2"}', "python django 4.2"],
    ["pyproject.toml", 'requests = "^2.31.0"', "python requests 2.31.0"],
    ["go.mod", "\tgithub.com/stretchr/testify v1.8.4", "go github.com/stretchr/testify 1.8.4"],
    ["go.mod", "\tgolang.org/x/net v0.17.0 // indirect", "go golang.org/x/net 0.17.0 indirect"],
    ["go.mod", "go 1.21", null],
    ["Cargo.toml", 'serde = { version = "1.0.188", features = ["derive"] }', "rust serde 1.0.188"],
    ["Cargo.toml", 'tokio = "1.32"', "rust tokio 1.32"],
    ["Gemfile", 'gem "rails", "~> 7.0.8"', "ruby rails 7.0.8"],
    ["shop.gemspec", "  spec.add_development_dependency 'rspec', '3.12.0'", "ruby rspec 3.12.0"],
    ["build.gradle.kts", '    implementation("org.slf4j:slf4j-api:2.0.9")', "java org.slf4j:slf4j-api 2.0.9"],
    [
      "App.csproj",
      '    <PackageReference Include="Newtonsoft.Json" Version="13.0.3" />',
      "dotnet Newtonsoft.Json 13.0.3",
    ],
    [".github/workflows/ci.yml", "      - uses: actions/checkout@v4", "github-actions actions/checkout 4"],
    [
      ".github/workflows/ci.yml",
      "      - uses: github/codeql-action/init@8f4b7f84864484a7bf31766abe9204da3cbe65b3 # v2.22.0",
      "github-actions github/codeql-action 2.22.0",
    ],
    [
      ".github/workflows/ci.yml",
      "      - uses: acme/own@8f4b7f84864484a7bf31766abe9204da3cbe65b3",
      "github-actions acme/own ?",
    ],
    ["package.json", '    "constructor": "1.0.0"', "npm constructor 1.0.0"],
  ])("%s: %s", (path, line, said) => {
    const named = manifestReader(path)?.(line) ?? null;
    const words = named && [named.ecosystem, named.name, named.version ?? "?", ...(named.direct ? [] : ["indirect"])];
    expect(words?.join(" ") ?? null).toBe(said);
  });

  test("is read in time, with any content", () => {
    const paths = [
      "package.json",
      "pyproject.toml",
      "go.mod",
      "Cargo.toml",
      "Gemfile",
      "build.gradle",
      "a.csproj",
      ".github/workflows/a.yml",
    ];
    for (const path of [...paths, "requirements.txt"]) {
      for (const line of [
        '"a'.repeat(500),
        "a.".repeat(500),
        " ".repeat(1000),
        "a={".repeat(300),
        "(".repeat(999),
        "x".repeat(1e6),
      ]) {
        expect(manifestReader(path)?.(line)).toBeNull();
      }
    }
    expect(manifestReader("src/main.ts")).toBeNull();
  });
});

describe("the packages of an update", () => {
  test("come from the diff, with the line that brings them, and not from what the text claims", () => {
    const [one, ...more] = findPackages({ ...BUMP, to: "5.0.0" }, null, [MANIFEST], []);
    expect(more).toEqual([]);
    expect(one).toMatchObject({
      name: "lodash",
      from: "4.17.20",
      to: "4.17.21",
      direct: true,
      source: "diff",
      place: { path: "web/package.json", line: 4 },
      saidTo: "5.0.0",
      step: "patch",
    });
  });

  test("take their versions from the lock file in the dependency graph, where there is one", () => {
    const rows = [
      row("removed", "lodash", "^4.17.20", { manifest: "web/package.json" }),
      row("added", "lodash", "^4.17.21", {
        manifest: "web/package.json",
        sourceUrl: "https://github.com/lodash/lodash",
      }),
      row("removed", "lodash", "4.17.19"),
      row("added", "lodash", "4.17.21"),
      row("removed", "minimist", "1.2.5"),
      row("added", "minimist", "1.2.8", { licence: "MIT" }),
      row("added", "fresh", "0.5.2"),
      row("removed", "stale", "1.0.0"),
      row("removed", "moved", "1.0.0"),
      row("added", "moved", "1.0.0"),
    ];
    const found = findPackages(BUMP, null, [MANIFEST], rows);
    expect(found.map(({ name, from, to, change, direct }) => [name, from, to, change, direct])).toEqual([
      ["lodash", "4.17.19", "4.17.21", "updated", true],
      ["fresh", null, "0.5.2", "added", null],
      ["minimist", "1.2.5", "1.2.8", "updated", null],
      ["stale", "1.0.0", null, "removed", null],
    ]);
    expect(found[0]?.links).toEqual(["https://github.com/lodash/lodash"]);
  });

  test("are what the bot says when nothing better is known, and none where it says nothing", () => {
    const [one] = findPackages(
      BUMP,
      "Bumps [lodash](https://github.com/lodash/lodash) from 4.17.20 to 4.17.21.",
      [],
      [],
    );
    expect(one).toMatchObject({
      source: "text",
      direct: null,
      place: null,
      saidTo: null,
      from: "4.17.20",
      to: "4.17.21",
    });
    expect(findPackages(GROUP, null, [], [])).toEqual([]);
  });

  test("of Python are the same under each spelling of their name", () => {
    const file = fileDiff("requirements.txt", "@@ -1,1 +1,1 @@\n-Zope.Interface==5.0\n+Zope.Interface==6.0");
    const reported = { ...BUMP, ecosystem: "python", packageName: "zope-interface", from: "5.0", to: "6.0" };
    expect(findPackages(reported, null, [file], []).map(({ name, step }) => [name, step])).toEqual([
      ["Zope.Interface", "major"],
    ]);
  });

  test("keep names that JavaScript has a meaning for", () => {
    const rows = ["constructor", "__proto__"].flatMap((name) => [
      row("removed", name, "1.0.0"),
      row("added", name, "1.1.0"),
    ]);
    expect(findPackages(GROUP, null, [], rows).map(({ name }) => name)).toEqual(["__proto__", "constructor"]);
  });
});

describe("what a bot's description contains", () => {
  test("Dependabot: one package, a group, and a table of many", () => {
    const reported = packagesFromDescription(
      [
        "Bumps the dev group with 2 updates in the / directory: [a](https://github.com/x/a) and [b](https://github.com/x/b).",
        "",
        "Updates `a` from 1.0.0 to 1.1.0",
        "<details><summary>Release notes</summary>",
        "Updates `hidden` from 1.0.0 to 9.0.0",
        "</details>",
        "| Package | From | To |",
        "| --- | --- | --- |",
        "| [@c/d](https://github.com/c/d/tree/HEAD/packages/d) | `2.0.0` | `3.0.0` |",
        "Bumps [e](https://github.com/x/e) to 4.5.6.",
        "<!-- Updates `commented` from 1.0.0 to 9.0.0 -->",
      ].join("\r\n"),
    );
    expect(reported.map(({ name, from, to }) => `${name} ${from} ${to}`)).toEqual([
      "a 1.0.0 1.1.0",
      "@c/d 2.0.0 3.0.0",
      "e null 4.5.6",
    ]);
  });

  test("nothing of a megabyte without an end", () => {
    for (const text of [
      "| [".repeat(400_000),
      "<!--".repeat(300_000),
      "<details>".repeat(120_000),
      "Updates `".repeat(120_000),
      "`".repeat(1e6),
    ]) {
      expect(packagesFromDescription(text)).toEqual([]);
    }
  });
});

test("a source repository is one on the GitHub that is asked, and nowhere else", () => {
  const npm = { name: "lodash", ecosystem: "npm" };
  const found = (link: string | null, host = "github.com", one: { name: string; ecosystem: string | null } = npm) => {
    const source = sourceRepository(one, [link], host);
    return source === null ? null : `${source.owner}/${source.name}`;
  };
  expect(found("https://github.com/lodash/lodash/tree/main/x")).toBe("lodash/lodash");
  expect(found("git+https://github.com/lodash/lodash.git")).toBe("lodash/lodash");
  expect(found("https://redirect.github.com/lodash/lodash")).toBe("lodash/lodash");
  expect(found("https://ghe.example.com/team/lib", "ghe.example.com")).toBe("team/lib");
  expect(found(null, "github.com", { name: "actions/checkout", ecosystem: "github-actions" })).toBe("actions/checkout");
  expect(found(null, "github.com", { name: "github.com/stretchr/testify/v2", ecosystem: "go" })).toBe(
    "stretchr/testify",
  );
  const elsewhere = [
    "https://evil.example/lodash/lodash",
    "https://github.com.evil.example/a/b",
    "https://user@github.com/a/b",
    "http://github.com/a/b",
    "https://github.com:8443/a/b",
    "https://github.com/a/..",
    "https://github.com/../a/b",
    "https://github.com/a",
    "https://github.com/a/b%2f..%2fc",
    "https://github.com/sponsors/lodash",
  ];
  expect(elsewhere.map((link) => found(link))).toEqual(elsewhere.map(() => null));
  expect(found("https://github.com/a/b", "ghe.example.com")).toBeNull();
});
