import fc from "fast-check";
import { expect, test } from "vitest";
import { nthSmallest } from "../../../src/adapters/memory/nth-smallest.ts";

test("the value at a place is the one that stands there when all are sorted, and what is no number stands last", () => {
  const value = fc.oneof(fc.integer({ min: -4, max: 4 }), fc.double(), fc.constant(Number.NaN));
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 80 }), fc.nat(), (values, any) => {
      const [all, place] = [Float64Array.from(values), any % values.length];
      const sorted = all.map((one) => (Number.isNaN(one) ? Number.POSITIVE_INFINITY : one)).sort();
      // −0 and 0 are equal, and stand in either order.
      expect(nthSmallest(all, place) === sorted[place]).toBe(true);
      expect(all).toEqual(Float64Array.from(values));
      const whole = Uint16Array.from(values.filter((one) => Number.isInteger(one) && one >= 0));
      if (place < whole.length) expect(nthSmallest(whole, place)).toBe(whole.toSorted()[place]);
    }),
  );
});
