import fc from "fast-check";
import { expect, test } from "vitest";
import { cutHunk, MAX_HUNK } from "../../src/learn/remember/redact-record.ts";

test("a hunk that fits stays as it is", () => {
  const hunk = "@@ -1,2 +1,3 @@ int main() {\n   a();\n+  b();\n";
  expect(cutHunk(hunk)).toBe(hunk);
});

test("of a long hunk the header and the end stay: the comment is on the last line", () => {
  const lines = Array.from({ length: 400 }, (_, index) => `+  line ${index} of the change`);
  const cut = cutHunk(["@@ -1,0 +1,400 @@", ...lines].join("\n"));
  expect(cut.startsWith("@@ -1,0 +1,400 @@\n…\n+  line ")).toBe(true);
  expect(cut.endsWith("+  line 399 of the change")).toBe(true);
  expect(cut.length).toBeGreaterThan(3_900);
});

test("a hunk that is one endless line is cut too", () => {
  const cut = cutHunk(`@@ -1 +1 @@\n+${"x".repeat(1_000_000)}`);
  expect(cut.length).toBeLessThanOrEqual(MAX_HUNK);
  expect(cut).toContain("+xxx");
});

test("no hunk is longer than the limit, and nothing in it is invented", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 3_000, unit: "binary" }), { maxLength: 12 }), (lines) => {
      const hunk = lines.join("\n");
      const cut = cutHunk(hunk);
      expect(cut.length).toBeLessThanOrEqual(MAX_HUNK);
      const tail = cut.slice(cut.indexOf("…\n") + 2);
      if (hunk.length > MAX_HUNK && hunk.isWellFormed())
        expect(hunk.includes(tail.replaceAll("\uFFFD", ""))).toBe(true);
    }),
  );
});
