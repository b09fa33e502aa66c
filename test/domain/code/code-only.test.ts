import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { codeOnly } from "../../../src/domain/code/code-only.ts";

describe("codeOnly", () => {
  test.each([
    ["a.ts", 'call("call", other); // call', "call(      , other);        "],
    ["a.ts", `x = \`a \${call(b)} c\`;`, "x =      call(b)    ;"],
    ["a.ts", `x = \`\${f({ a: 1 })}\`; y`, "x =    f({ a: 1 })  ; y"],
    ["a.py", "call(x)  # call 'x'", "call(x)            "],
    ["a.c", "a /* b\n c */ d", "a     \n      d"],
    ["a.rs", "fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}"],
    ["a.css", "#main { a }", "#main { a }"],
  ])("%s: %j", (path, text, code) => {
    expect(codeOnly(path, text)).toBe(code);
  });

  test("every character keeps its place, and lines stay lines", () => {
    const anyText = fc.string({ unit: fc.constantFrom(..."ab`$\"'{}/*\\#\n -") });
    fc.assert(
      fc.property(fc.constantFrom("a.ts", "a.py", "a.sql"), anyText, (path, text) => {
        const code = codeOnly(path, text);
        expect(code).toHaveLength(text.length);
        for (const [at, char] of [...code].entries())
          expect(char === text[at] || (char === " " && text[at] !== "\n")).toBe(true);
      }),
    );
  });
});
