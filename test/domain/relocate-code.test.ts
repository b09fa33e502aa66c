import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shapeOf, tokenStream } from "../../src/domain/code/code-fingerprint.ts";
import { relocateCode } from "../../src/domain/code/relocate-code.ts";
import { runs } from "../property-runs.ts";

const stream = (text: string) => tokenStream(text.split("\n").map((line, index) => ({ line: index + 1, text: line })));

/** Where lines first…last of `before` stand in `after`, as `FIRST-LAST how`. */
function found(before: string, first: number, last: number, after: string): string | null {
  const again = relocateCode(shapeOf(stream(before), first, last), stream(after), first);
  return again === null ? null : `${again.startLine}-${again.line} ${again.as}`;
}

const BODY = ["function pay(entry) {", "  entry.balance = entry.balance + entry.amount;", "}"];
const FILE = ["const rate = 3;", ...BODY, "export { pay };"].join("\n");

describe("code is found again", () => {
  test("where lines were added above it", () => {
    expect(found(FILE, 3, 3, `// One.\n// Two.\n${FILE}`)).toBe("5-5 same");
  });

  test("where a formatter split it", () => {
    const split = FILE.replace("entry.balance + entry.amount;", "\n    entry.balance +\n    entry.amount");
    expect(found(FILE, 3, 3, split)).toBe("3-5 same");
  });

  test("as edited where some of its tokens changed", () => {
    expect(found(FILE, 3, 3, FILE.replace("balance + entry", "balance - entry"))).toBe("3-3 alike");
  });

  test.each([
    ["an argument at its end", "await load(url, id, now)", "await load(url, id, now, signal)"],
    ["a guard before it", "await load(url, id, now)", "if (id > 0) await load(url, id, now)"],
    ["the start of a comment", "await load(url, id, now)", "// await load(url, id, now)"],
  ])("as edited where %s was added to its line", (_, before, after) => {
    const file = (line: string) => `let all = 1;\n${line}\nlet end = 2;`;
    expect(found(file(before), 2, 2, file(after))).toBe("2-2 alike");
    expect(found(file(before), 2, 2, file(before).replaceAll("\n", " "))).toBe("1-1 same");
  });

  test("not at all when it is removed", () => {
    expect(found(FILE, 3, 3, FILE.replace(/ {2}entry.*\n/, ""))).toBeNull();
  });

  test("of two copies the one whose neighbours are the same, else the nearest", () => {
    const line = "  entry.balance = entry.balance + entry.amount;";
    const twice = ["function refund(other) {", line, "}", "", ...BODY].join("\n");
    expect(found(twice, 6, 6, `${line}\n${twice}`)).toBe("7-7 same");
    expect(found([line, line, line].join("\n"), 2, 2, [line, line, line].join("\n"))).toBe("2-2 same");
  });

  test("a lone bracket only among its own neighbours", () => {
    expect(found(FILE, 4, 4, FILE)).toBe("4-4 same");
    expect(found(FILE, 4, 4, "}\n}\n}")).toBeNull();
  });

  test("for any white space, quotes, commas and semicolons that a formatter changes, on the lines that contain it", () => {
    const word = fc.constantFrom("entry", "balance", "=", "+", "call", "'text'", "7", "=>", "{", "}", ".", "name");
    const code = fc.array(fc.array(word, { minLength: 1, maxLength: 8 }), { minLength: 3, maxLength: 12 });
    fc.assert(
      fc.property(code, fc.nat(), fc.array(fc.nat({ max: 3 }), { minLength: 1 }), (rows, pick, breaks) => {
        const before = rows.map((words) => words.join(" ")).join("\n");
        let turn = 0;
        const space = () => [" ", "\n", "\n\n    ", ",  "][breaks[turn++ % breaks.length] ?? 0] ?? " ";
        const after = rows.map((words) => words.join("\0").replaceAll("'", '"').replace(/\0/g, space)).join(";\n");
        const line = (pick % rows.length) + 1;
        const again = relocateCode(shapeOf(stream(before), line, line), stream(after), line);
        expect(again?.as).toBe("same");
        const shape = shapeOf(stream(after), again?.startLine ?? 0, again?.line ?? 0);
        const wanted = shapeOf(stream(before), line, line).at;
        expect(` ${shape.at.join(" ")} `).toContain(` ${wanted.join(" ")} `);
      }),
      runs(500),
    );
  });

  test("any shape in any code, without an end in sight for neither", () => {
    const tokens = fc.array(fc.nat({ max: 3 }), { maxLength: 40 });
    fc.assert(
      fc.property(tokens, tokens, tokens, tokens, (before, at, after, all) => {
        const again = relocateCode({ before, at, after }, { tokens: all, lines: all.map((_, index) => index + 1) }, 1);
        if (again?.as === "same") expect(all.slice(again.startLine - 1, again.line)).toEqual(at);
      }),
    );
  });
});

describe("code that differs in a name", () => {
  const step = (name: string, line: string) =>
    [`export async function ${name}(account, date) {`, "  let total = 0;", `  ${line}`, "  return total;", "}"].join(
      "\n",
    );
  const LOST = (id: string) => `await gateway.charge(${id}, total, { retries: 0 }).catch(() => null);`;
  const BEFORE = [step("bill", LOST("account")), step("report", "return date;")].join("\n\n");

  test("is the same after a rename in its place", () => {
    const renamed = [step("bill", LOST("customer")).replace("account", "customer"), step("report", "return date;")];
    expect(found(BEFORE, 3, 3, renamed.join("\n\n"))).toBe("3-3 alike");
  });

  test("is another where the old one was fixed, in either order [005-04]", () => {
    const fixed = step("bill", "await gateway.charge(account, total, { retries: 3 });");
    const parts = [fixed, step("report", "return date;"), step("settle", LOST("owner"))];
    expect(found(BEFORE, 3, 3, parts.join("\n\n"))).toBeNull();
    expect(found(BEFORE, 3, 3, parts.toReversed().join("\n\n"))).toBeNull();
  });

  test("is another right beside the place that the old one left", () => {
    const both = step("bill", `await gateway.charge(account, total);\n  ${LOST("owner")}`);
    expect(found(BEFORE, 3, 3, `${both}\n\n${step("report", "return date;")}`)).toBeNull();
  });

  test("is another where the old one was removed", () => {
    const parts = [step("bill", "").replace("  \n", ""), step("report", "return date;"), step("settle", LOST("owner"))];
    expect(found(BEFORE, 3, 3, parts.join("\n\n"))).toBeNull();
  });

  test("is the same if its place is unknown and the old name is removed", () => {
    expect(found(BEFORE, 3, 3, `function settle() {\n  ${LOST("owner")}\n}`)).toBe("2-2 alike");
  });
});
