// What `kodiai config` prints, as values.
import { expect, test } from "vitest";
import { configLines, configValues } from "../../src/cli/setup/config.ts";
import { CONFIG_KEYS } from "../../src/config/config-keys.ts";
import { parseConfig } from "../../src/config/parse-config.ts";

const effective = (text: string) => parseConfig([{ file: ".kodiai.yml", text }]);
test("every key of the schema is in the list of values unless it belongs to a list item", () => {
  const keys = CONFIG_KEYS.map(({ path }) => path);
  const listed = configValues(effective("")).map(({ key }) => key);
  expect(listed).toEqual(keys.filter((key) => key !== "_extends" && !key.includes("[]")));
});

test("control characters of a value do not reach the terminal", () => {
  const lines = configLines(effective('pathInstructions: [{path: "a", instructions: "\\e[31mred"}]\n'), true);
  expect(lines.join("\n")).not.toContain("\u001b");
});
