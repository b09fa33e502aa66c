import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contrast } from "../../../eval/suites/contrast.ts";
import { codeLikeness, fixedAlready, hunkTokens } from "../../../src/retrieve/rank/already-fixed.ts";
import { added } from "../retrieve-builders.ts";
import { at, enter, ids } from "../retrieve-harness.ts";

const PAIR = {
  flagged: "  const remotePort = Math.floor(Math.random() * (65535 - 32768 + 1));\n  server.listen(remotePort);",
  fixed:
    "  const remotePort =\n    Math.floor(Math.random() * (65535 - 32768 + 1)) + 32768;\n  server.listen(remotePort);",
};
const FLAGGED_AGAIN = "let port = Math.floor( Math.random() * (65535 - 32768 + 1) );\nserver.listen( port );";
const FIXED_AGAIN = "let port = Math.floor(Math.random() * (65535 - 32768 + 1)) + 32768;\nserver.listen(port)";
const AROUND = (code: string) =>
  ["import { createServer } from 'node:http';", "export function serve() {", code, "  return server;", "}"].join("\n");

describe("contrast", () => {
  test("flagged code under another name and layout is nearer to what was flagged, its fix to the fix", () => {
    expect(contrast(FLAGGED_AGAIN, PAIR)).toBeGreaterThan(0);
    expect(contrast(FIXED_AGAIN, PAIR)).toBeLessThan(0);
    // What likeness alone says: the fix, too, is much like the flagged code.
    expect(codeLikeness(FIXED_AGAIN, PAIR.flagged)).toBeGreaterThan(0.4);
  });

  test("another similarity may be used", () => {
    expect(contrast("x", PAIR, (_, other) => (other === PAIR.flagged ? 0.75 : 0.25))).toBe(0.5);
  });

  const code = fc.string({ unit: fc.constantFrom("a", "b", "Fn", "(", ")", "=", "+", " ", "\n", "if", "1", "日") });
  test("swapping flagged and fixed turns the sign, and it lies between −1 and 1", () => {
    fc.assert(
      fc.property(code, code, code, (asked, flagged, fixed) => {
        const score = contrast(asked, { flagged, fixed });
        expect(score).toBeCloseTo(-contrast(asked, { flagged: fixed, fixed: flagged }), 12);
        expect(Math.abs(score)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("likeness is the same both ways, 1 for the same tokens, and blind to layout", () => {
    fc.assert(
      fc.property(code, code, (a, b) => {
        expect(codeLikeness(a, b)).toBeCloseTo(codeLikeness(b, a), 12);
        expect(codeLikeness(a, `\t${a.replaceAll(" ", "   ").replaceAll("\n", "\n\n  ")}`)).toBe(codeLikeness(a, a));
        expect([0, 1]).toContain(codeLikeness(a, a));
      }),
    );
  });
});

describe("what is fixed already", () => {
  const reported = (...texts: string[]) => fixedAlready(texts.map(hunkTokens), PAIR);

  test("a hunk around the fix holds it; one around the flagged code, or around neither, does not", () => {
    expect(reported(AROUND(FIXED_AGAIN))).toBe(true);
    expect(reported(AROUND(FLAGGED_AGAIN))).toBe(false);
    expect(reported(AROUND("  const port = 8080;\n  server.listen(port);"))).toBe(false);
    expect(reported()).toBe(false);
  });

  test("the flagged code anywhere in the change is never called fixed [005-01]", () => {
    expect(reported(AROUND(FIXED_AGAIN), AROUND(PAIR.flagged))).toBe(false);
  });

  test("a hunk of a megabyte that repeats itself has an answer", () => {
    expect(reported(`${FIXED_AGAIN}\n`.repeat(10_000))).toBe(true);
    expect(reported("a(".repeat(500_000))).toBe(false);
  });

  test("a memory that knows both is left out with the reason where the change holds the fix, and stays where it does not", async () => {
    const path = "src/serve.cpp";
    const pair = { flaggedCode: PAIR.flagged, fixedCode: PAIR.fixed, path };
    const shelved = [
      at("mem_pair", 0.1, pair),
      at("mem_plain", 0.2, { path }),
      at("mem_half", 0.15, { ...pair, fixedCode: null }),
    ];
    const shape = (code: string) => ({ title: "feat: serve", files: { [path]: added(...AROUND(code).split("\n")) } });
    const fixed = await enter({ shape: shape(FIXED_AGAIN), shelved });
    expect(ids(fixed).toSorted()).toEqual(["mem_half", "mem_plain"]);
    expect(fixed.cut).toContainEqual({ id: "mem_pair", reason: "the code is nearer to its fix" });
    expect(ids(await enter({ shape: shape(FLAGGED_AGAIN), shelved }))).toContain("mem_pair");
  });
});
