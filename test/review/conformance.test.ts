import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { areas } from "../../eval/conformance/prompt-text.ts";

const folder = resolve(process.cwd(), "../shared/conformance");
const present = existsSync(folder);
if (!present) console.warn(`skipped: the conformance cases are not there (${folder})`);

test.skipIf(!present)("each case about words in prompts is right, or differs for a named reason", () => {
  const cases = ["cases", "corrections"].flatMap((name) =>
    readFileSync(`${folder}/${name}.jsonl`, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { area: string; input: unknown; expected: unknown }),
  );
  const judged = cases.flatMap(({ area, input, expected }) => {
    const check = areas.find((one) => one.area === area);
    if (check === undefined) return [];
    const actual = check.answer(input);
    const right = isDeepStrictEqual(actual, expected);
    const meant = check.deliberate.some(({ applies }) => applies(input, expected, actual));
    expect(right || meant, JSON.stringify({ area, input, actual })).toBe(true);
    return [right];
  });
  expect(judged.length).toBe(5);
  expect(judged.filter((right) => right).length / judged.length).toBeGreaterThanOrEqual(0.7);
});
