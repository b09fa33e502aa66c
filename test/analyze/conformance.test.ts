import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { areas } from "../../eval/conformance/signals.ts";

const folder = resolve(process.cwd(), "../shared/conformance");
const present = existsSync(folder);

interface Case {
  readonly area: string;
  readonly input: unknown;
  readonly expected: Record<string, unknown>;
}

test.skipIf(!present)(
  `every case and correction of the areas of signals comes out as expected${present ? "" : " (skipped: ../shared/conformance is absent)"}`,
  () => {
    const cases = ["cases", "corrections"].flatMap((name) =>
      readFileSync(`${folder}/${name}.jsonl`, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Case),
    );
    const checks = new Map(areas.map((area) => [area.area, area]));
    let checked = 0;
    const wrong = cases.flatMap(({ area, input, expected }) => {
      const check = checks.get(area);
      if (check === undefined) return [];
      checked++;
      const actual = check.answer(input) as Record<string, unknown>;
      const same =
        check.same?.(actual, expected) ??
        Object.entries(expected).every(([key, value]) => isDeepStrictEqual(actual[key], value));
      return same ? [] : [{ area, input, expected, actual }];
    });
    expect(wrong).toEqual([]);
    expect(checked).toBeGreaterThan(100);
  },
);
