import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { areas } from "../../eval/conformance/retrieve.ts";

const folder = resolve(process.cwd(), "../shared/conformance");
const present = existsSync(folder);

interface Case {
  readonly area: string;
  readonly input: unknown;
  readonly expected: Record<string, unknown>;
  readonly wrong?: unknown;
}

test.skipIf(!present)(
  `every case of the areas of retrieval is right or differs for a named reason, every correction is right${present ? "" : " (skipped: ../shared/conformance is absent)"} [004-24]`,
  () => {
    const cases = ["cases", "corrections"].flatMap((name) =>
      readFileSync(`${folder}/${name}.jsonl`, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Case),
    );
    const checks = new Map(areas.map((area) => [area.area, area]));
    let checked = 0;
    const wrong = cases.flatMap(({ area, input, expected, wrong: old }) => {
      const check = checks.get(area);
      if (check === undefined) return [];
      checked++;
      const actual = check.answer(input) as Record<string, unknown>;
      const same =
        check.same?.(actual, expected) ??
        Object.entries(expected).every(([key, value]) => isDeepStrictEqual(actual[key], value));
      const meant = old === undefined && check.deliberate.some(({ applies }) => applies(input, expected, actual));
      return same || meant ? [] : [{ area, input, expected, actual }];
    });
    expect(wrong).toEqual([]);
    expect(checked).toBeGreaterThan(60);
  },
);
