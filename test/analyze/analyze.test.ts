import { expect, test } from "vitest";
import { analyze } from "../../src/analyze/analyze.ts";
import type { FileDiff, PullRequestContext } from "../../src/domain/pull-request.ts";
import { addedHunk, aFileDiff } from "../builders/file-diff.ts";
import { aContext } from "../builders/pull-request.ts";

const changed = (path: string, added: readonly string[], newStart = 1) => aFileDiff(path, [addedHunk(newStart, added)]);

const context = (files: readonly FileDiff[], more: Partial<PullRequestContext> = {}) =>
  aContext({ files, ...more }, { title: "fix: guard the parser" });

test("one change gives languages, kinds, risks, author tier and size together", () => {
  const files = [
    changed("src/parse.cpp", ["int a;", "int b;", "int c;"]),
    changed("include/parse.h", ["int parse();"]),
    changed("test/parse_test.py", ["assert True"]),
    changed("package.json", ['"a": "1"']),
  ];
  const signals = analyze(context(files));
  expect(signals.files).toEqual([
    { path: "src/parse.cpp", language: "cpp", kind: "source" },
    { path: "include/parse.h", language: "cpp", kind: "source" },
    { path: "test/parse_test.py", language: "python", kind: "test" },
    { path: "package.json", language: "json", kind: "config" },
  ]);
  expect(signals.languages).toEqual([
    { language: "cpp", name: "C++", share: 0.8, files: 2, changedLines: 4 },
    { language: "python", name: "Python", share: 0.2, files: 1, changedLines: 1 },
  ]);
  expect(signals.risks.map((risk) => risk.id)).toEqual(["dependencies"]);
  expect(signals.author).toEqual({ tier: "regular", because: "3 merged pull requests", isKnown: true });
  expect(signals.metrics).toMatchObject({ files: 4, added: 6, removed: 0, hunks: 4 });
});

test("vendored C++ that is left out still makes the header beside it C++", () => {
  const leftOut = [{ path: "vendor/lib.cc", reason: "vendored" }];
  expect(analyze(context([changed("include/a.h", ["int a;"])], { leftOut })).files[0]?.language).toBe("cpp");
});

test("the head text shows what the hunks do not", () => {
  const file = changed("tools/release", ["print(1)"], 40);
  const headTexts = new Map([["tools/release", "#!/usr/bin/env python3\nimport sys\n"]]);
  expect(analyze(context([file])).files[0]?.language).toBe("shell");
  expect(analyze(context([file], { headTexts })).files[0]?.language).toBe("python");
});

test("a new file is classified by its own first lines", () => {
  expect(analyze(context([changed("tools/release", ["#!/usr/bin/env ruby", "puts 1"])])).files[0]?.language).toBe(
    "ruby",
  );
});

test("the same context gives the same signals", () => {
  const files = [changed("src/auth.ts", ["encrypt(x)"]), changed("a.go", ["go func() {"])];
  expect(analyze(context(files))).toEqual(analyze(context(files)));
});

test("names that every object has are names like others", () => {
  const files = ["constructor", "src/__proto__", "a.toString", "hasOwnProperty/valueOf"].map((path) =>
    changed(path, ["x"]),
  );
  expect(analyze(context(files)).files.map((file) => file.path)).toEqual(files.map((file) => file.path));
});
