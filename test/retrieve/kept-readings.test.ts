import { expect, test } from "vitest";
import { keptFor, keptReadings } from "../../src/retrieve/kept-readings.ts";

test("a reading is told for the same texts under the same name, and for no other", () => {
  const kept = keptReadings<string>();
  expect(kept.of("mem_1", ["Close it.", ""])).toBeUndefined();
  expect(kept.keep("mem_1", ["Close it.", ""], "read", 10)).toBe("read");
  expect(kept.of("mem_1", ["Close it.", ""])).toBe("read");
  // The comment was edited since.
  expect(kept.of("mem_1", ["Close it!", ""])).toBeUndefined();
  expect(kept.of("mem_2", ["Close it.", ""])).toBeUndefined();
  expect(kept.of("__proto__", [""])).toBeUndefined();
});

test("what was asked for lately stays, the rest is let go, and never more is kept than was said", () => {
  const kept = keptReadings<number>(10_000);
  const names = Array.from({ length: 200 }, (_, at) => `mem_${at}`);
  for (const [at, name] of names.entries()) {
    kept.keep(name, [`said ${name}`], at, 300);
    expect(kept.of("mem_0", ["said mem_0"])).toBe(0);
  }
  const left = names.filter((name) => kept.of(name, [`said ${name}`]) !== undefined);
  expect(left).toContain("mem_199");
  expect(left.length).toBeLessThanOrEqual(10_000 / 500);
});

test("readings are good for one table of words", () => {
  const kept = keptFor<number>();
  const [one, other] = [{}, {}];
  kept(one).keep("mem_1", ["said"], 1, 0);
  expect(kept(one).of("mem_1", ["said"])).toBe(1);
  expect(kept(other).of("mem_1", ["said"])).toBeUndefined();
});
