// The gate of mutants: every patch still has its place and a test file. CI tries the cheap ones
// beside the tests, and every night all.
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MUTANTS } from "../../chaos/mutants/mutants.ts";
import { patched } from "../../chaos/mutants/patched.ts";

test("every mutant breaks a place that occurs exactly once, and differs from the original", () => {
  const problems = MUTANTS.flatMap((mutant) => patched(mutant, readFileSync(mutant.file, "utf8")).problem ?? []);
  expect(problems).toEqual([]);
  expect(MUTANTS.filter(({ find, replace }) => find === replace)).toEqual([]);
  expect(new Set(MUTANTS.map(({ id }) => id)).size).toBe(MUTANTS.length);
  // One for each promise that a user relies on; each more is a tax on every change.
  expect(MUTANTS.length).toBeLessThanOrEqual(60);
});

test("a patch whose place is missing or occurs twice is a problem and changes nothing", () => {
  const patch = { id: "no dedupe", file: "src/a.ts", within: null, find: "if (known) return;", replace: "" };
  expect(patched(patch, "let x = 1;")).toEqual({
    text: "let x = 1;",
    problem: "no dedupe: its place is there 0 times in src/a.ts; fix the patch",
  });
  expect(patched(patch, `${patch.find}${patch.find}`).problem).toContain("2 times");
  expect(patched({ ...patch, replace: "$& $1" }, `a ${patch.find} b`)).toEqual({ text: "a $& $1 b", problem: null });
});

test("a patch is made in the function of its name, wherever that is, or takes the place of its body", () => {
  const source =
    "const no = () => 1;\nfunction isOpen() {\n  return no() > 0;\n}\nconst x = { close() { return 1; } };\n";
  const patch = { id: "open", file: "src/a.ts", within: "isOpen", find: "> 0", replace: "> 1" };
  expect(patched(patch, source).text).toContain("return no() > 1;");
  expect(patched({ ...patch, within: "close", find: null, replace: "return 2;" }, source).text).toContain(
    "close() { return 2; }",
  );
  expect(patched({ ...patch, within: "shut" }, source).problem).toBe(
    "open: src/a.ts has 0 functions shut; fix the patch",
  );
});

test("every mutant names a test file that is there", () => {
  expect(MUTANTS.filter(({ test: [file] }) => !existsSync(file)).map(({ id }) => id)).toEqual([]);
});
