import { expect, test } from "vitest";
import { attributesOf, markedPatterns } from "../../src/config/git-attributes.ts";

const MARKS = [
  "# third parties",
  "third/** linguist-vendored",
  "*.pb.go linguist-generated=true -diff",
  "/dist/*.js linguist-generated",
  "/schema.py linguist-generated",
  "third/ours/** -linguist-vendored",
  "*.map linguist-generated=false",
  '"odd name" linguist-vendored',
  "*.ts text eol=lf",
].join("\n");

test.each([
  ["third/a/b.py", "vendored"],
  ["api/v1/x.pb.go", "generated"],
  ["dist/a.js", "generated"],
  ["schema.py", "generated"],
  ["a/schema.py", null],
  ["web/dist/a.js", null],
  ["dist/deep/a.js", null],
  ["third/ours/b.py", "own"],
  ["a.map", "own"],
  ["src/a.ts", null],
] as const)("%s is marked as %s: the last line that matches decides", (path, mark) => {
  expect(attributesOf(MARKS)(path)).toBe(mark);
});

test("a file without marks, or a hostile one, marks nothing and costs little", () => {
  expect(attributesOf("")("src/a.ts")).toBeNull();
  expect(attributesOf("[a-z linguist-vendored\n!x linguist-generated\n{a,b} linguist-vendored\n")("a")).toBeNull();
  const many = "a/**/b/**/c linguist-generated\n".repeat(20_000);
  expect(markedPatterns(many)).toHaveLength(1_000);
});
