// Globs as people write them, against the matcher that they know them by; and globs and paths that
// were made to be slow.
import fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, test } from "vitest";
import { fileGlob, globPattern } from "../../src/config/patterns.ts";
import { runs } from "../property-runs.ts";

function matches(glob: string, path: string, anyFolder = false): boolean | string {
  const read = globPattern(glob, { anyFolder });
  return "problem" in read ? read.problem : read.matches(path);
}

describe("what a glob matches", () => {
  test.each([
    ["src/**", "src/a/b.ts"],
    ["src/**", "src"],
    ["**/*.test.ts", "a.test.ts"],
    ["**/*.test.ts", "src/a/b.test.ts"],
    ["src/**/x/*.ts", "src/x/a/x/b.ts"],
    ["*.{js,ts}", "a.ts"],
    ["{src,lib/*}/a.ts", "lib/b/a.ts"],
    ["v{1..3}/x", "v2/x"],
    ["[a-c]?.md", "b1.md"],
    ["[!a]x", "bx"],
    ["a\\*b", "a*b"],
    ["**.lock", "deep/down/yarn.lock"],
    ["src/**.ts", "src/a/b.ts"],
    ["src/", "src/a/b.ts"],
    ["app/(auth)/**", "app/(auth)/page.tsx"],
    ["{a}/x", "{a}/x"],
    ["[ab", "[ab"],
    ["./src/*", "src/a"],
    ["/src/*", "src/a"],
    ["/*.ts", "a.ts"],
    ["Größe/*.ts", "Größe/ü.ts"],
  ])("%s matches %s", (glob, path) => {
    expect(matches(glob, path)).toBe(true);
  });

  test.each([
    ["src/*", "src/a/b.ts"],
    ["src/*", "src"],
    ["*.ts", "src/a.ts"],
    ["SRC/**", "src/a"],
    ["a*b*c", "a-c-b"],
    ["ab*ba", "aba"],
    ["a.c", "abc"],
    ["(a+)+b", "aaab"],
    ["app/(auth)/**", "app/auth/page.tsx"],
    ["**/x/**/y", "y/x"],
    ["", "a"],
  ])("%s does not match %s", (glob, path) => {
    expect(matches(glob, path)).toBe(false);
  });

  test.each([
    ["src/legacy", "src/legacy/a/b.ts"],
    ["/src/legacy", "src/legacy/a.ts"],
    ["src/legacy", "src/legacy"],
    ["{src,lib}/old", "lib/old/a.ts"],
    ["vendor", "a/vendor/b.ts"],
    ["vendor", "vendor/b.ts"],
    ["Makefile", "a/Makefile"],
    ["/build/**", "build/a.ts"],
  ])("%s for files takes %s", (glob, path) => {
    const read = fileGlob(glob);
    expect("problem" in read ? read.problem : read.matches(path)).toBe(true);
  });

  test.each([
    ["src/legacy", "src/legacy.ts"],
    ["/src/legacy", "a/src/legacy/b.ts"],
    ["/build/**", "a/build/b.ts"],
    ["vendor", "a/vendors/b.ts"],
    ["src/*", "src/a/b.ts"],
    ["*.md", "a.md/b.ts"],
  ])("%s for files does not take %s", (glob, path) => {
    const read = fileGlob(glob);
    expect("problem" in read ? read.problem : read.matches(path)).toBe(false);
  });

  test.each(["src//a", "../a", "a/../b", "a/./b", "//a", ".."])("%s matches nothing, and says so", (glob) => {
    expect(matches(glob, "a")).toContain("matches nothing");
  });

  test("without a slash it may mean a name in any folder", () => {
    expect(matches("*.md", "docs/a/b.md", true)).toBe(true);
    expect(matches("docs/*.md", "x/docs/b.md", true)).toBe(false);
  });

  test.each(["@(a|b)", "src/!(x).ts", "+(a)*"])("%s is refused, and says what to write instead", (glob) => {
    expect(matches(glob, "a")).toContain("write `{a,b}` instead");
  });

  test.each(["{a,b}".repeat(7), "{".repeat(21), "{1..9999}", `{${"a,".repeat(60)}b}${"[a-z]".repeat(30)}`])(
    "%s has too many alternatives",
    (glob) => {
      expect(matches(glob, "a")).toBe("has too many alternatives in braces");
    },
  );
});

test("where picomatch and people agree on what a glob means, so does ours", () => {
  const name = fc.constantFrom("a", "b", "ab", "aab", "a.ts", "b.test.ts", "src", ".env", "x-1");
  const segment = fc.constantFrom("a", "*", "*.ts", "a*", "*b", "a*b", "?", "[ab]", "{a,ab}", "*.test.*", "src", "x-?");
  const step = fc.oneof({ weight: 3, arbitrary: segment }, { weight: 1, arbitrary: fc.constant("**") });
  // At the end `**` may stand for nothing with us, whatever stands before it; picomatch wants a
  // plain name there.
  const globs = fc.tuple(fc.array(step, { maxLength: 3 }), segment).map(([steps, last]) => [...steps, last].join("/"));
  const paths = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => names.join("/"));
  fc.assert(
    fc.property(globs, paths, (glob, path) => {
      const theirs = picomatch(glob, { dot: true, nonegate: true, noextglob: true });
      expect([glob, path, matches(glob, path)]).toEqual([glob, path, theirs(path)]);
    }),
    runs(5_000),
  );
});

test("any glob against any path is an answer", () => {
  const piece = fc.constantFrom(..."* ** ? [ ] { } , / \\ ! ( ) | + . a b - ^ $ .. {1..3} é 👍 \0".split(" "));
  const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(text, text, (glob, path) => {
      expect(["boolean", "string"]).toContain(typeof matches(glob, path));
    }),
    runs(5_000),
  );
});

test.each([
  ["many stars", "*a".repeat(240), `${"a".repeat(100_000)}b`],
  ["many folders", `${"**/a/".repeat(99)}c`, `${"a/".repeat(50_000)}b`],
  ["many classes", `*${"[ab]".repeat(120)}c`, "a".repeat(100_000)],
  ["a group that repeats itself", "(a+)+b", "a".repeat(100_000)],
  ["nested braces", "{a,{a,{a,{a,{a,{a,b}}}}}}*b", "a".repeat(100_000)],
])("%s cost no more than a look at the path [T21]", (_, glob, path) => {
  expect(matches(glob, path)).toBe(false);
});
