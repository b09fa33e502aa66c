import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import type { FileDiff } from "../../src/domain/pull-request.ts";
import { type ParsedDiff, parseDiff, parseListedFile } from "../../src/gather/parse-diff.ts";

const shared = resolve(process.cwd(), "../shared");

function diff(...lines: string[]): string {
  return `${lines.join("\n")}\n`;
}

/** The one file of a diff that has no other and refuses none. */
function only(text: string): FileDiff {
  const { files, refused } = parseDiff(text);
  expect(refused).toEqual([]);
  expect(files).toHaveLength(1);
  return files[0] as FileDiff;
}

function texts(file: FileDiff | undefined): string[] {
  return (file?.hunks ?? []).flatMap((hunk) => hunk.lines.map((line) => `${line.kind[0]}${line.text}`));
}

function refusal(parsed: ParsedDiff): string {
  expect(parsed.files).toEqual([]);
  expect(parsed.refused).toHaveLength(1);
  return `${parsed.refused[0]?.path}: ${parsed.refused[0]?.reason}`;
}

const MODIFIED = ["index 1111111..2222222 100644", "--- a/x.ts", "+++ b/x.ts"];
const MISCOUNTED = "the lines of a hunk do not agree with the counts in its header";
const COMBINED = "a combined diff of a merge has more than one old side";

test("lines carry their numbers on both sides, and a hunk the function that encloses it", () => {
  const file = only(
    diff("diff --git a/x.ts b/x.ts", ...MODIFIED, "@@ -7,3 +9,4 @@ class A {", " one", "-two", "+2", "+2b", " three"),
  );
  expect(file).toMatchObject({ path: "x.ts", previousPath: null, status: "modified", additions: 2, deletions: 1 });
  expect(file.hunks[0]).toMatchObject({ oldStart: 7, oldLines: 3, newStart: 9, newLines: 4, section: "class A {" });
  expect(file.hunks[0]?.lines.map((line) => [line.oldLine, line.newLine])).toEqual([
    [7, 9],
    [8, null],
    [null, 10],
    [null, 11],
    [9, 12],
  ]);
});

describe("paths", () => {
  test("a rename without changes has both paths and no hunk", () => {
    const text = diff(
      "diff --git a/old name.ts b/new name.ts",
      "similarity index 100%",
      "rename from old name.ts",
      "rename to new name.ts",
    );
    const moved = { path: "new name.ts", previousPath: "old name.ts", status: "renamed", hunks: [], complete: true };
    expect(only(text)).toMatchObject(moved);
  });

  test("a copy with changes has both paths, its modes and its lines", () => {
    const text = diff(
      "diff --git a/src/a.ts b/src/b.ts",
      "similarity index 90%",
      "copy from src/a.ts",
      "copy to src/b.ts",
      "index 1111111..2222222 100755",
      "--- a/src/a.ts",
      "+++ b/src/b.ts",
      "@@ -1 +1 @@",
      "-a",
      "+b",
    );
    expect(only(text)).toMatchObject({
      path: "src/b.ts",
      previousPath: "src/a.ts",
      status: "copied",
      newMode: "100755",
      additions: 1,
    });
  });

  test("quoted paths are bytes of UTF-8 behind octal escapes", () => {
    const name = '"b/caf\\303\\251/\\346\\216\\222 \\"x\\" \\\\ tab\\t.md"';
    const text = diff(
      `diff --git ${name.replace("b/", "a/")} ${name}`,
      "index 1111111..2222222 100644",
      `--- ${name.replace("b/", "a/")}`,
      `+++ ${name}`,
      "@@ -1 +1 @@",
      "-a",
      "+b",
    );
    expect(only(text).path).toBe('café/排 "x" \\ tab\t.md');
  });

  test("a byte order mark in a name is part of the name", () => {
    const text = diff('diff --git "a/\\357\\273\\277x" "b/\\357\\273\\277x"', "old mode 100644", "new mode 100755");
    expect(only(text).path).toBe("\uFEFFx");
  });

  test("a quoted path without hunks is read from the first line alone", () => {
    const text = diff('diff --git "a/\\303\\251 b.sh" "b/\\303\\251 b.sh"', "old mode 100644", "new mode 100755");
    expect(only(text)).toMatchObject({ path: "é b.sh", oldMode: "100644", newMode: "100755", status: "modified" });
  });

  test("a quoted path of the longest that Linux allows is read, and one of 30 MB crashes nothing", () => {
    const longest = `"b/${"\\303\\251".repeat(2_046)}.c"`;
    expect(only(diff(`diff --git ${longest.replace("b/", "a/")} ${longest}`, "new mode 100755")).path).toBe(
      `${"é".repeat(2_046)}.c`,
    );
    expect(() => parseDiff(`diff --git "a/${"x".repeat(30_000_000)}" b/x\nold mode 100644\n`)).not.toThrow();
  });

  test("a rename from a plain to a quoted name", () => {
    const text = diff(
      'diff --git a/plain.txt "b/\\303\\274ber.txt"',
      "similarity index 100%",
      "rename from plain.txt",
      'rename to "\\303\\274ber.txt"',
    );
    expect(only(text)).toMatchObject({ path: "über.txt", previousPath: "plain.txt" });
  });

  test("a path with spaces keeps them, and loses the tab that git puts after it", () => {
    const text = diff(
      "diff --git a/has spaces b/has spaces b/has spaces b/has spaces",
      "index 1111111..2222222 100644",
      "--- a/has spaces b/has spaces\t",
      "+++ b/has spaces b/has spaces\t",
      "@@ -1 +1 @@",
      "-a",
      "+b",
    );
    expect(only(text).path).toBe("has spaces b/has spaces");
  });

  test("an empty file whose name could be cut in several places is cut in the middle", () => {
    const text = diff("diff --git a/x b/x b/x b/x", "new file mode 100644", "index 0000000..e69de29");
    expect(only(text)).toMatchObject({ path: "x b/x", status: "added", complete: true });
  });

  test("a path that ends in a space keeps it", () => {
    const text = diff(
      "diff --git a/end  b/end ",
      "index 1111111..2222222 100644",
      "--- a/end \t",
      "+++ b/end \t",
      "@@ -1 +1 @@",
      "-a",
      "+b",
    );
    expect(only(text).path).toBe("end ");
  });

  test.each([
    ["--no-prefix", "src/x.ts", "src/x.ts"],
    ["mnemonic prefixes", "i/src/x.ts", "w/src/x.ts"],
    ["prefixes of one's own", "src://src/x.ts", "dst://src/x.ts"],
    ["the usual prefixes", "a/src/x.ts", "b/src/x.ts"],
  ])("%s: the path is what both names share", (_name, before, after) => {
    const hunk = ["@@ -1 +1 @@", "-a", "+b"];
    const head = [`diff --git ${before} ${after}`, "index 1111111..2222222 100644"];
    expect(only(diff(...head, `--- ${before}`, `+++ ${after}`, ...hunk)).path).toBe("src/x.ts");
    expect(only(diff(`diff --git ${before} ${after}`, "old mode 100644", "new mode 100755")).path).toBe("src/x.ts");
    const added = [`diff --git ${before} ${after}`, "new file mode 100644", "index 0000000..2222222"];
    const text = diff(...added, "--- /dev/null", `+++ ${after}`, "@@ -0,0 +1 @@", "+b");
    expect(only(text)).toMatchObject({ path: "src/x.ts", status: "added", oldMode: null, newMode: "100644" });
  });

  test("a file that really is called a/b/c is not shortened under --no-prefix", () => {
    expect(only(diff("diff --git a/b/c a/b/c", "old mode 100644", "new mode 100755")).path).toBe("a/b/c");
  });

  test("a header whose names share nothing is refused", () => {
    expect(refusal(parseDiff(diff("diff --git one two", "old mode 100644", "new mode 100755")))).toBe(
      "null: the names in its header are ambiguous",
    );
  });

  test("names that look like an object's own properties are ordinary names", () => {
    for (const name of ["constructor", "__proto__", "hasOwnProperty"]) {
      const text = diff(`diff --git a/${name} b/${name}`, "old mode 100644", "new mode 100755");
      expect(only(text).path).toBe(name);
    }
  });
});

describe("what is not text", () => {
  test.each([
    ["Binary files a/logo.png and b/logo.png differ"],
    ["GIT binary patch\nliteral 9\nQcmZQzU|?i`U|?ckU;qFB0ssI2\n\nliteral 0\nHcmV?d00001\n"],
  ])("a binary file has no lines: %s", (said) => {
    const text = diff("diff --git a/logo.png b/logo.png", "index 1111111..2222222 100644", said);
    expect(only(text)).toMatchObject({ path: "logo.png", binary: true, hunks: [], complete: true });
  });

  test("a file that became a link is one change of type, with both modes and the lines of both", () => {
    const file = only(
      diff(
        "diff --git a/docs/.ruby-version b/docs/.ruby-version",
        "deleted file mode 100644",
        "index 619b537..0000000",
        "--- a/docs/.ruby-version",
        "+++ /dev/null",
        "@@ -1 +0,0 @@",
        "-3.3.1",
        "diff --git a/docs/.ruby-version b/docs/.ruby-version",
        "new file mode 120000",
        "index 0000000..120ff9f",
        "--- /dev/null",
        "+++ b/docs/.ruby-version",
        "@@ -0,0 +1 @@",
        "+../.ruby-version",
        "\\ No newline at end of file",
      ),
    );
    expect(file).toMatchObject({ status: "typechanged", oldMode: "100644", newMode: "120000" });
    expect(file).toMatchObject({ additions: 1, deletions: 1 });
    expect(texts(file)).toEqual(["r3.3.1", "a../.ruby-version"]);
  });

  test("a submodule's new commit is a line, and its mode says what it is", () => {
    const text = diff(
      "diff --git a/vendor/lib b/vendor/lib",
      "index 9598137e1e..4011f04c04 160000",
      "--- a/vendor/lib",
      "+++ b/vendor/lib",
      "@@ -1 +1 @@",
      "-Subproject commit 9598137e1ec976c23328880534a8f49bdce32cf0",
      "+Subproject commit 4011f04c040c88441dd93ec53191e5540832ee21",
    );
    expect(only(text)).toMatchObject({ newMode: "160000", additions: 1, deletions: 1 });
  });

  test("an empty file is added and removed without lines", () => {
    const text = diff(
      "diff --git a/.gitkeep b/.gitkeep",
      "new file mode 100644",
      "index 0000000..e69de29",
      "diff --git a/old/.gitkeep b/old/.gitkeep",
      "deleted file mode 100644",
      "index e69de29..0000000",
    );
    const { files } = parseDiff(text);
    expect(files.map(({ path, status, complete }) => [path, status, complete])).toEqual([
      [".gitkeep", "added", true],
      ["old/.gitkeep", "removed", true],
    ]);
  });

  test("a header that promises another content and gives none is incomplete", () => {
    const text = diff("diff --git a/x.ts b/x.ts", "index 1111111..2222222 100644");
    expect(only(text)).toMatchObject({ complete: false, hunks: [] });
  });
});

describe("only LF ends a line", () => {
  const head = ["diff --git a/x.ts b/x.ts", ...MODIFIED];

  test.each([
    ["CRLF: the CR stays in the text", "end\r"],
    ["a lone CR", "one\rtwo"],
    ["a form feed", "one\ftwo"],
    ["the line separator U+2028", "one\u2028two"],
    ["a next-line U+0085", "one\u0085two"],
  ])("%s", (_name, line) => {
    expect(texts(only(diff(...head, "@@ -4,2 +4,3 @@", " a", `+${line}`, " b")))).toEqual(["ca", `a${line}`, "cb"]);
  });

  test("lines that look like headers are lines as long as the counts say so", () => {
    const file = only(
      diff(
        ...head,
        "@@ -1,4 +1,4 @@",
        " diff --git a/y b/y",
        "--- a/y",
        "+++ b/y",
        " @@ -1 +1 @@",
        "--- a",
        "+++ b",
        "@@ -20 +20 @@ next",
        "-- ",
        "+\\ No newline at end of file",
      ),
    );
    expect(texts(file)).toEqual([
      "cdiff --git a/y b/y",
      "r-- a/y",
      "a++ b/y",
      "c@@ -1 +1 @@",
      "r-- a",
      "a++ b",
      "r- ",
      "a\\ No newline at end of file",
    ]);
    expect(file.hunks.map((hunk) => hunk.section)).toEqual(["", "next"]);
  });

  test("a missing newline at the end of either side is no line", () => {
    const missing = "\\ No newline at end of file";
    const file = only(diff(...head, "@@ -1,2 +1,2 @@", " a", "-b", missing, "+c", missing));
    expect(texts(file)).toEqual(["ca", "rb", "ac"]);
  });

  test("an empty context line whose space a mail program cut off is still a line", () => {
    expect(texts(only(diff(...head, "@@ -1,3 +1,4 @@", " a", "", "+b", " c")))).toEqual(["ca", "c", "ab", "cc"]);
    expect(texts(only(diff(...head, "@@ -1,3 +1,4 @@", " a\r", "\r", "+b\r", " c\r")))).toEqual([
      "ca\r",
      "c\r",
      "ab\r",
      "cc\r",
    ]);
  });

  test("a diff converted to CRLF as a whole keeps its paths and modes", () => {
    const text = diff(...head, "@@ -1 +1 @@ f()", "-a", "+b").replaceAll("\n", "\r\n");
    const file = only(text);
    expect(file).toMatchObject({ path: "x.ts", newMode: "100644", additions: 1 });
    expect(file.hunks[0]?.section).toBe("f()");
  });
});

describe("counts", () => {
  const head = ["diff --git a/x.ts b/x.ts", ...MODIFIED];

  test("an omitted count is one, and an empty range keeps the line before it", () => {
    const file = only(diff(...head, "@@ -3 +3 @@", "-a", "+b", "@@ -9,0 +10,2 @@", "+c", "+d"));
    expect(
      file.hunks.map(({ oldStart, oldLines, newStart, newLines }) => [oldStart, oldLines, newStart, newLines]),
    ).toEqual([
      [3, 1, 3, 1],
      [9, 0, 10, 2],
    ]);
    expect(file.hunks[1]?.lines.map((line) => line.newLine)).toEqual([10, 11]);
  });

  test.each([
    ["too few lines", ["@@ -1,3 +1,6 @@ function foo()", " ctx", "+a"]],
    ["too many lines", ["@@ -1,1 +1,2 @@", " ctx", "+a", "+b"]],
    ["no line for a count of one", ["@@ -1 +1,2 @@", "+a", "+b"]],
    ["no counts at all", ["@@ somewhere @@", "+a"]],
    ["a line of no kind", ["@@ -1,2 +1,2 @@", " a", "*b"]],
    ["numbers beyond any file", ["@@ -1,99999999999999999999 +1 @@", "+a"]],
  ])("%s: the file is refused by name and the others stay", (_name, hunk) => {
    const good = [
      "diff --git a/y.ts b/y.ts",
      "index 3333333..4444444 100644",
      "--- a/y.ts",
      "+++ b/y.ts",
      "@@ -1 +1 @@",
      "-a",
      "+b",
    ];
    const { files, refused } = parseDiff(diff(...head, ...hunk, ...good));
    expect(files.map((file) => file.path)).toEqual(["y.ts"]);
    expect(refused.map(({ path }) => path)).toEqual(["x.ts"]);
    expect([MISCOUNTED, "the header of a hunk is malformed"]).toContain(refused[0]?.reason);
  });

  test("the reason never quotes the diff", () => {
    const { refused } = parseDiff(diff(...head, "@@ -1,2 +1,2 @@", `!${"secret".repeat(1000)}`));
    expect(refused[0]?.reason).toBe(MISCOUNTED);
  });

  test.each([["diff --cc src/merged.rs"], ["diff --combined src/merged.rs"]])("%s is refused by name", (first) => {
    const body = ["index 1,2..3", "--- a/src/merged.rs", "+++ b/src/merged.rs", "@@@ -1,1 -1,1 +1,2 @@@", "  a", "++b"];
    expect(refusal(parseDiff(diff(first, ...body)))).toBe(`src/merged.rs: ${COMBINED}`);
  });

  test("hunks against several parents under an ordinary header are refused by name", () => {
    expect(refusal(parseDiff(diff(...head, "@@@ -1,1 -1,1 +1,2 @@@", "  a", "++b")))).toBe(`x.ts: ${COMBINED}`);
  });

  test("a context diff is refused with its reason", () => {
    const text = diff(
      "*** a/x.c\tMon",
      "--- b/x.c\tMon",
      "***************",
      "*** 1,2 ****",
      "! a",
      "--- 1,2 ----",
      "! b",
    );
    expect(refusal(parseDiff(`diff -c a/x.c b/x.c\n${text}`))).toBe(
      "null: a context diff; only unified diffs are read",
    );
  });
});

describe("around the diff", () => {
  const patch = ["diff --git a/x.ts b/x.ts", ...MODIFIED, "@@ -1 +1 @@", "-a", "+b"];

  test("an empty diff has no files and nothing to refuse", () => {
    expect(parseDiff("")).toEqual({ files: [], refused: [] });
    expect(parseDiff("\n \n")).toEqual({ files: [], refused: [] });
  });

  test("a text without a diff is refused", () => {
    expect(refusal(parseDiff("hello\nworld\n"))).toBe("null: no unified diff was found");
  });

  test("hunks without a name are refused", () => {
    expect(refusal(parseDiff(diff("@@ -1 +1 @@", "-a", "+b")))).toBe("null: hunks without the name of a file");
  });

  test("the mails of format-patch may be before, between and behind", () => {
    const mail = ["From 62ea0ea Mon Sep 17 00:00:00 2001", "Subject: [PATCH] add", "", "---", " x.ts | 2 +-", ""];
    const text = diff(...mail, ...patch, "-- ", "2.38.1", "", ...mail, ...patch, "-- ", "2.38.1", "");
    const { files, refused } = parseDiff(text);
    expect(refused).toEqual([]);
    expect(files.map((file) => texts(file))).toEqual([
      ["ra", "ab"],
      ["ra", "ab"],
    ]);
  });

  test("a diff without a newline at its end loses nothing", () => {
    expect(texts(only(diff(...patch).trimEnd()))).toEqual(["ra", "ab"]);
  });
});

describe("other tools", () => {
  test("Mercurial, Subversion, Bazaar and diff -u name the same file", () => {
    const hunk = ["@@ -1 +1 @@", "-a", "+b"];
    const heads = [
      ["diff -r 44299fd3d1a8 x.ts", "--- a/x.ts\tSun Oct 13 20:51:07 2013 -0300", "+++ b/x.ts\tSun Oct 13 2013"],
      ["Index: x.ts", "=".repeat(67), "--- x.ts\t(revision 191)", "+++ x.ts\t(working copy)"],
      ["=== modified file 'x.ts'", "--- x.ts\t2013-10-13 23:53:13 +0000", "+++ x.ts\t2013-10-13 23:53:26 +0000"],
      ["diff -u a/x.ts b/x.ts", "--- a/x.ts\t2025-03-26", "+++ b/x.ts\t2025-03-26"],
      ["--- a/x.ts", "+++ b/x.ts"],
    ];
    for (const head of heads) {
      expect(only(diff(...head, ...hunk))).toMatchObject({ path: "x.ts", status: "modified", additions: 1 });
    }
  });

  test("bare files one after another are parted even where removed lines look like headers", () => {
    const text = diff(
      "--- a/one.sql",
      "+++ b/one.sql",
      "@@ -1,2 +1,2 @@",
      "--- a comment",
      "+++ a comment",
      " select 1;",
      "--- /dev/null",
      "+++ b/two.sql",
      "@@ -0,0 +1 @@",
      "+select 2;",
      "Binary files a/three.png and b/three.png differ",
      "Only in b: four",
    );
    const { files, refused } = parseDiff(text);
    expect(refused).toEqual([]);
    expect(files.map(({ path, status, binary, additions }) => [path, status, binary, additions])).toEqual([
      ["one.sql", "modified", false, 1],
      ["two.sql", "added", false, 1],
      ["three.png", "modified", true, 0],
    ]);
  });

  test("if both names are real, an empty range shows what was added and what removed", () => {
    const text = diff(
      "--- f\t1970",
      "+++ f\t2013",
      "@@ -0,0 +1 @@",
      "+a",
      "--- g\t2013",
      "+++ g\t1970",
      "@@ -1 +0,0 @@",
      "-a",
    );
    expect(parseDiff(text).files.map(({ path, status }) => [path, status])).toEqual([
      ["f", "added"],
      ["g", "removed"],
    ]);
  });

  const folder = join(shared, "bad-inputs/diffs/unidiff");
  test.skipIf(!existsSync(folder))(`python-unidiff's samples are right or refused by name (needs ${folder})`, () => {
    const malformed = new Set(["sample1.diff", "sample2.diff", "sample6.diff", "sample7.diff"]);
    const names = readdirSync(folder);
    expect(names.length).toBeGreaterThan(20);
    for (const name of names) {
      const { files, refused } = parseDiff(readFileSync(join(folder, name), "utf8"));
      expect([name, refused.map(({ path }) => path === null)]).toEqual([name, malformed.has(name) ? [false] : []]);
      expect([name, files.length + refused.length > 0]).toEqual([name, true]);
    }
  });

  const queries = join(shared, "eval/retrieval/queries.jsonl");
  test.skipIf(!existsSync(queries))(
    `real pull requests are right but for one malformed file (needs ${queries})`,
    () => {
      interface Query {
        diff: string;
        files: { path: string; additions: number | null; deletions: number | null }[];
      }
      const refusedPaths: (string | null)[] = [];
      for (const line of readFileSync(queries, "utf8").split("\n")) {
        if (line === "") continue;
        const query = JSON.parse(line) as Query;
        const { files, refused } = parseDiff(query.diff);
        refusedPaths.push(...refused.map(({ path }) => path));
        const counts = new Map(files.map((file) => [file.path, [file.additions, file.deletions]]));
        const known = query.files.filter((file) => file.additions !== null && !refusedPaths.includes(file.path));
        expect(known.map((file) => [file.path, counts.get(file.path)])).toEqual(
          known.map((file) => [file.path, [file.additions, file.deletions]]),
        );
      }
      expect(refusedPaths).toEqual(["src/workerd/api/tests/http-socket-server.js"]);
    },
  );
});

describe("size", () => {
  test("three thousand files are three thousand files", () => {
    const one = (n: number) =>
      diff(
        `diff --git a/f${n} b/f${n}`,
        "index 1111111..2222222 100644",
        `--- a/f${n}`,
        `+++ b/f${n}`,
        "@@ -1 +1 @@",
        "-a",
        "+b",
      );
    const { files } = parseDiff(Array.from({ length: 3000 }, (_, n) => one(n)).join(""));
    expect(files).toHaveLength(3000);
    expect(files[2999]?.path).toBe("f2999");
  });

  test("a line of a megabyte keeps its place, and one of 200 kB is kept in any place", () => {
    const long = "x ".repeat(500_000);
    const head = ["diff --git a/x.ts b/x.ts", ...MODIFIED];
    expect(texts(only(diff(...head, "@@ -1 +1 @@", "-a", `+${long}`)))[1]).toHaveLength(1_000_001);
    const hostile = [
      long,
      " b/a",
      "--- ",
      "+++ ",
      "@@ -1",
      "@@ -1,1 +",
      "- ",
      "\r",
      "Binary files ",
      " and ",
      '"\\303',
      "diff --git ",
    ];
    for (const start of [
      "diff --git ",
      "diff --git a/",
      'diff --git "',
      "--- ",
      "@@ ",
      "@@ -1 ",
      "Binary files ",
      "Index: ",
      "diff -r ",
      "rename from ",
      "index ",
    ]) {
      for (const piece of hostile) {
        // Whatever is not linear in it takes minutes already.
        const line = start + piece.repeat(200_000 / piece.length);
        expect(() => parseDiff(diff(line, line, "@@ -1 +1 @@", "-a", "+b"))).not.toThrow();
        expect(() => parseDiff(diff(...head.slice(0, 1), line, ...MODIFIED.slice(1), "@@ -1 +1 @@"))).not.toThrow();
      }
    }
  });
});

describe("a file of GitHub's listing", () => {
  const listed = { path: "src/a.ts", previousPath: null, status: "modified", additions: 1, deletions: 1 } as const;

  test("its patch is hunks without a header and without a newline at the end", () => {
    const file = parseListedFile({
      ...listed,
      patch: "@@ -5,2 +5,2 @@ f() {\n a\n-b\n+c\n\\ No newline at end of file",
    });
    expect(file).toMatchObject({ path: "src/a.ts", additions: 1, complete: true });
    expect("hunks" in file ? texts(file) : null).toEqual(["ca", "rb", "ac"]);
  });

  test("counted lines that no patch delivers make it incomplete", () => {
    expect(parseListedFile({ ...listed, patch: null })).toMatchObject({ complete: false, additions: 1, hunks: [] });
    const half = parseListedFile({ ...listed, additions: 9, patch: "@@ -1 +1 @@\n-a\n+b" });
    expect(half).toMatchObject({ complete: false, additions: 9 });
  });

  test("a malformed patch is refused by name", () => {
    expect(parseListedFile({ ...listed, patch: "@@ -1,9 +1,9 @@\n a" })).toEqual({
      path: "src/a.ts",
      reason: MISCOUNTED,
    });
    expect(parseListedFile({ ...listed, patch: "--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b" })).toMatchObject({
      complete: true,
    });
  });

  test("an omitted count is one, but there is no line 0 to count", () => {
    const counted = parseListedFile({ ...listed, patch: "@@ -1 +1,2 @@\n+a\n+b" });
    expect(counted).toEqual({ path: "src/a.ts", reason: "the header of a hunk is malformed" });
    const fromNothing = parseListedFile({ ...listed, additions: 2, deletions: 0, patch: "@@ -0 +1,2 @@\n+a\n+b" });
    expect("hunks" in fromNothing ? texts(fromNothing) : null).toEqual(["aa", "ab"]);
  });

  test("a patch of combined hunks is refused by name", () => {
    expect(parseListedFile({ ...listed, patch: "@@@ -1 -1 +1 @@@\n++b" })).toEqual({
      path: "src/a.ts",
      reason: COMBINED,
    });
  });
});
