import fc from "fast-check";
import { expect, test } from "vitest";
import { changeExcerpt, fairShares, NARROW } from "../../../src/retrieve/model/change-excerpt.ts";
import { added, given } from "../retrieve-builders.ts";

function excerpt(files: Readonly<Record<string, string>>, body = "", title = "fix(cart): round prices") {
  const { context, signals } = given({ title, body, files });
  return changeExcerpt(context, signals);
}

test("what is said about a change stays under 3,000 characters, its diff under 12,000 [002-15]", () => {
  const long = added(...Array.from({ length: 2_000 }, (_, at) => `call(${at});`));
  const files = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`src/deep/in/the/tree/part${at}.ts`, long]));
  const { about, diff } = excerpt(files, "Why. ".repeat(3_000), "t".repeat(5_000));
  expect(about.length).toBeLessThanOrEqual(3_000);
  expect(about.length).toBeGreaterThan(2_900);
  expect(diff.length).toBeLessThanOrEqual(12_000);
  expect(diff.length).toBeGreaterThan(11_000);
});

test("beside candidates it is half as long, and only changed lines are shown", () => {
  const long = added(...Array.from({ length: 2_000 }, (_, at) => `call(${at});`));
  const files = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`src/part${at}.ts`, long]));
  const { context, signals } = given({ title: "t".repeat(5_000), body: "Why. ".repeat(3_000), files });
  const { about, diff } = changeExcerpt(context, signals, NARROW);
  expect(about.length).toBeLessThanOrEqual(2_000);
  expect(diff.length).toBeLessThanOrEqual(4_000);
  expect(diff.match(/^### /gm)).toHaveLength(12);
  expect(diff).toContain("+call(0);");
  expect(diff).not.toContain("function around");
});

test("a long file leaves space for the others, and is marked as cut [002-15]", () => {
  const long = added(...Array.from({ length: 3_000 }, (_, at) => `generated(${at});`));
  const { about, diff } = excerpt({ "src/a.ts": long, "src/b.ts": added("lock();"), "src/c.cpp": added("free(p);") });
  expect(diff).toContain("### src/b.ts\n@@\n function around() {\n+lock();\n }");
  expect(diff).toContain("+free(p);");
  expect(diff).toMatch(/generated\(\d+\);\n\(the rest of this file is not shown\)\n### src\/b\.ts/);
  expect(about).toContain("Title: fix(cart): round prices\nKind: fix\nLanguages: ");
  expect(about).toContain("src/c.cpp");
});

test("lock, generated and vendored files are not shown; migrations are", () => {
  const line = added("x");
  const { diff } = excerpt({
    "package-lock.json": line,
    "dist/app.js": line,
    "src/app.min.js": line,
    "vendor/lib.go": line,
    "node_modules/a/index.js": line,
    "db/migrations/0007_drop.sql": line,
    "src/app.ts": line,
  });
  expect(diff.match(/^### .*/gm)).toEqual(["### db/migrations/0007_drop.sql", "### src/app.ts"]);
});

test("characters that people cannot see are shown, and a line of a megabyte is cut", () => {
  const { diff } = excerpt({ "src/a.ts": added("ok(); // \u202eevil", "x".repeat(1 << 20)) });
  expect(diff).toContain("⟦U+202E⟧");
  expect(diff.length).toBeLessThan(1_000);
});

test("shares of space: none gets more than it wants, small ones get all, and nothing is given twice", () => {
  expect(fairShares([10, 1_000, 20], 300)).toEqual([10, 270, 20]);
  expect(fairShares([1_000, 1_000], 301)).toEqual([150, 151]);
  expect(fairShares([], 300)).toEqual([]);
  fc.assert(
    fc.property(fc.array(fc.nat(20_000)), fc.nat(12_000), (wants, room) => {
      const shares = fairShares(wants, room);
      expect(shares.every((share, at) => share <= (wants[at] ?? 0) && share >= 0)).toBe(true);
      const sum = shares.reduce((total, share) => total + share, 0);
      expect(sum).toBeLessThanOrEqual(room);
      const wanted = wants.reduce((total, want) => total + want, 0);
      expect(sum).toBe(Math.min(room, wanted));
    }),
  );
});
