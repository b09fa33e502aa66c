import { expect, test } from "vitest";
import { matchingInstructions } from "../../src/review/compose.ts";

const CHANGED = ["src/api/users.ts", "src/api/users.test.ts", "docs/api.md", "Makefile"];
const filesOf = (path: string | string[]) =>
  matchingInstructions(CHANGED, [{ path, instructions: "Look." }]).flatMap(({ files }) => files);

test.each<[string | string[], string[]]>([
  ["src/api/**", ["src/api/users.ts", "src/api/users.test.ts"]],
  ["*.md", ["docs/api.md"]],
  [["src/api/**", "!**/*.test.ts"], ["src/api/users.ts"]],
  [
    ["docs/**", "Makefile"],
    ["docs/api.md", "Makefile"],
  ],
  [["src/**", "!src/api/**"], []],
  [["!docs/**", "!Makefile"], []],
  ["!**/*.ts", []],
  ["+(a|b)", []],
])("%j is about %j", (path, files) => {
  expect(filesOf(path)).toEqual(files);
});

test("an instruction that concerns no changed file is left out", () => {
  expect(matchingInstructions(CHANGED, [{ path: "lib/**", instructions: "Look." }])).toEqual([]);
});
