import fc from "fast-check";
import { expect, test } from "vitest";
import { epochMilliseconds } from "../../src/learn/remember/parse-row.ts";

test("a time with an offset is what the platform says it is", () => {
  for (const iso of ["2012-02-07T06:53:40+00:00", "2026-12-31T23:59:59.999-08:00", "2000-02-29T00:00:00Z"]) {
    expect(epochMilliseconds(iso)).toBe(Date.parse(iso));
  }
});

test("every date agrees with the platform's", () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date(-62_135_596_800_000), max: new Date(253_402_300_799_999), noInvalidDate: true }),
      (date) => {
        expect(epochMilliseconds(date.toISOString())).toBe(date.getTime());
      },
    ),
  );
});

test("what is no time is null", () => {
  for (const text of [
    "",
    "yesterday",
    "2026-13-01T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-01-01",
    "2026-01-01T00:00:00",
  ]) {
    expect(epochMilliseconds(text)).toBeNull();
  }
});
