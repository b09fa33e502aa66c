import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shapeOf, tokenStream } from "../../src/domain/code/code-fingerprint.ts";
import { changedLines, fixOfComment, fixOfFinding, type HeadLine } from "../../src/learn/feedback/fix-pair.ts";

const plain = (text: string) => Promise.resolve(text);
const stream = (text: string) => tokenStream(text.split("\n").map((line, at) => ({ line: at + 1, text: line })));
const QUERY = "  const owners = await Promise.all(ids.map((id) => db.find(id)));";
const FIXED = "  const owners = await db.findAll(ids);";
const FILE = [
  "export async function ownersOf(carts: readonly Cart[]): Promise<Owner[]> {",
  "  const ids = carts.map(({ owner }) => owner);",
  QUERY,
  "  return owners.filter((owner) => owner !== null);",
  "}",
].join("\n");
const finding = (now: string, then = FILE, line = 3) =>
  fixOfFinding({ shape: shapeOf(stream(then), line, line), near: line, then, now }, plain);

describe("of a finding", () => {
  test("old and new code are matched by their neighbours, wherever they moved", async () => {
    const pair = { flaggedCode: QUERY, fixedCode: FIXED };
    expect(await finding(FILE.replace(QUERY, FIXED))).toEqual(pair);
    const header = Array.from({ length: 200 }, (_, at) => `import { part${at} } from "./part-${at}.ts";`).join("\n");
    expect(await finding(`${header}\n\n${FILE.replace(QUERY, FIXED)}\n`)).toEqual(pair);
  });

  test.each([
    ["stands as it was", FILE],
    ["was only reformatted", FILE.replace(QUERY, QUERY.replace("ids.map(", "ids\n    .map("))],
    ["was removed", FILE.replace(`${QUERY}\n`, "")],
    ["gave way to something else", FILE.replace(QUERY, '  logger.warn("nobody asked", { level: 3 });')],
    ["went with all that stood around it", "export const nothing = 1;\n"],
  ])("there is no pair where the code %s", async (_how, now) => {
    expect(await finding(now)).toBeNull();
  });

  test("secrets are removed, also one of several lines of which a part is cut off", async () => {
    const key = ["-----BEGIN PRIVATE KEY-----", "MIIEvQIBADANBgkqhkiG", "-----END PRIVATE KEY-----"].join("\n");
    const redact = (text: string) => plain(text.replace(key, "‹redacted:private-key›\n\n"));
    const then = FILE.replace(QUERY, `  const pem = \`${key}\`;\n${QUERY}`);
    const shape = shapeOf(stream(then), 6, 6);
    const pair = await fixOfFinding({ shape, near: 6, then, now: then.replace(QUERY, FIXED) }, redact);
    expect(pair).toEqual({ flaggedCode: QUERY, fixedCode: FIXED });
    const gone = FILE.replace(QUERY, FIXED);
    const cut = await fixOfFinding({ shape, near: 6, then, now: gone }, redact);
    expect(JSON.stringify(cut)).not.toContain("MIIEvQ");
  });

  test("a text of a megabyte is read at once", async () => {
    const long = `${FILE}\n${"x = 1;\n".repeat(140_000)}`;
    expect(await finding(long.replace(QUERY, FIXED), long)).toEqual({ flaggedCode: QUERY, fixedCode: FIXED });
    expect(await finding("y".repeat(1_000_000))).toBeNull();
  });
});

describe("of a comment of the past", () => {
  const hunk = `@@ -1,2 +1,4 @@\n${FILE.split("\n").slice(0, 3).join("\n").replace(/^/gm, "+")}`;
  const patch = `@@ -1,2 +1,5 @@\n${FILE.replace(QUERY, FIXED).replace(/^/gm, "+")}`;

  test("the end of its hunk is held against the last patch of its file", async () => {
    const pair = await fixOfComment(hunk, `@@ -90,1 +95,1 @@ class Other\n-a\n+b\n${patch}`, plain);
    expect(pair?.flaggedCode).toBe(QUERY);
    expect(pair?.fixedCode?.split("\n")[0]).toBe(FIXED);
  });

  test("there is none if the line was not added, is unchanged, or is not found", async () => {
    expect(await fixOfComment(`${hunk}\n return owners;`, patch, plain)).toBeNull();
    expect(await fixOfComment(hunk, hunk, plain)).toBeNull();
    expect(await fixOfComment(hunk, "@@ -1 +1 @@\n-a\n+b", plain)).toBeNull();
    expect(await fixOfComment("", "", plain)).toBeNull();
  });
});

test("any lines are compared with any others without a throw, and the result lies within them", () => {
  const line = fc.record({
    text: fc.constantFrom("", "}", QUERY, FIXED, "  return total of all carts;", "alpha beta gamma delta"),
    isAdded: fc.constantFrom(true, false, null),
  });
  const lines: fc.Arbitrary<HeadLine[]> = fc.array(line, { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, fc.boolean(), fc.nat(), (then, now, isWhole, pick) => {
      const from = then.length === 0 ? 0 : pick % then.length;
      const spans = changedLines(then, now, isWhole ? null : { from, to: Math.min(then.length, from + 1) });
      if (typeof spans === "string") return;
      expect(spans.flagged.to).toBeLessThanOrEqual(then.length);
      expect(spans.fixed.to).toBeLessThanOrEqual(now.length);
      expect(spans.flagged.from).toBeLessThan(spans.flagged.to);
      expect(spans.fixed.from).toBeLessThan(spans.fixed.to);
    }),
  );
});
