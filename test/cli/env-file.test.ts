import { parseEnv } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { withVariables } from "../../src/cli/setup/setup-plan.ts";

test("a set variable replaces its line in place, the rest stays, and a second line of the name is removed", () => {
  const text = "# Ours\nAPP_ID=1\nLOG_LEVEL=debug\nexport APP_ID = 2\n# APP_ID=3\n";
  expect(
    withVariables(
      text,
      new Map([
        ["APP_ID", "42"],
        ["WEBHOOK_SECRET", "a b"],
      ]),
    ),
  ).toBe('# Ours\nAPP_ID=42\nLOG_LEVEL=debug\n# APP_ID=3\nWEBHOOK_SECRET="a b"\n');
});

test("Node reads back what was written, and writing it twice changes nothing", () => {
  const value = fc.string({ unit: fc.constantFrom(..."aZ09 /\\:.#$'\"`=-_%"), maxLength: 30 }).filter((text) => {
    try {
      withVariables("", new Map([["A", text]]));
      return true;
    } catch {
      return false;
    }
  });
  fc.assert(
    fc.property(value, value, (first, second) => {
      const set = new Map([
        ["KODIAI_A", first],
        ["KODIAI_B", second],
      ]);
      const text = withVariables("# c\nKODIAI_A=old\n", set);
      expect(parseEnv(text)).toMatchObject({ KODIAI_A: first, KODIAI_B: second });
      expect(withVariables(text, set)).toBe(text);
    }),
  );
});

test("a value that no quotes can hold is refused by its name, without the value", () => {
  expect(() => withVariables("", new Map([["KEY", "line\nbreak"]]))).toThrow("KEY cannot be written into a .env file");
});
