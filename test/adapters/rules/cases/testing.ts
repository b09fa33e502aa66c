// More cases of rules about testing, by rule.
import { example } from "../../../../src/adapters/rules/structural/shapes.ts";
import type { Cases } from "../rule-cases.ts";

export const TESTING: Cases = {
  "unawaited-assertion": {
    bad: [example("test/load.test.js", 'it("fails", () => { expect(load(null)).rejects.toThrow(); });')],
    good: [example("test/load.test.ts", 'test("loads", () => expect(load()).resolves.toBe(1));')],
  },
  "assert-tuple": {
    bad: [example("tests/test_age.py", "def test_age():", '    assert (age() == 3, "three years")')],
    good: [example("app/check.py", "assert (age > 0 and", "        age < 150)")],
  },
};
