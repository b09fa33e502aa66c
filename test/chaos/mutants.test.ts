// The gate of mutants: every patch still has its place and a test of that name, and the cheap ones are tried.
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { MUTANTS } from "../../chaos/mutants/mutants.ts";
import { patched } from "../../chaos/mutants/patched.ts";

test("every mutant breaks a place that stands exactly once, and differs from what was there", () => {
  const problems = MUTANTS.flatMap((mutant) => patched(mutant, readFileSync(mutant.file, "utf8")).problem ?? []);
  expect(problems).toEqual([]);
  expect(MUTANTS.filter(({ find, replace }) => find === replace)).toEqual([]);
  expect(new Set(MUTANTS.map(({ id }) => id)).size).toBe(MUTANTS.length);
  expect(MUTANTS.length).toBeGreaterThanOrEqual(20);
});

test("a patch whose place is gone, or stands twice, is a problem and changes nothing", () => {
  const patch = { id: "no dedupe", file: "src/a.ts", find: "if (known) return;", replace: "" };
  expect(patched(patch, "let x = 1;")).toEqual({
    text: "let x = 1;",
    problem: "no dedupe: its place stands 0 times in src/a.ts; mend the patch",
  });
  expect(patched(patch, `${patch.find}${patch.find}`).problem).toContain("2 times");
  expect(patched({ ...patch, replace: "$& $1" }, `a ${patch.find} b`)).toEqual({ text: "a $& $1 b", problem: null });
});

test("every mutant names a test file that is there", () => {
  expect(MUTANTS.filter(({ test: [file] }) => !existsSync(file)).map(({ id }) => id)).toEqual([]);
});

test("the cheap mutants are noticed by their tests", async () => {
  const quick = MUTANTS.filter(({ isQuick }) => isQuick === true);
  const { stdout } = await promisify(execFile)(process.execPath, ["chaos/mutants/run.ts", "--quick", "--jobs", "1"]);
  expect(stdout).toContain(`${quick.length} of ${quick.length} mutants were noticed by their tests`);
}, 600_000);
