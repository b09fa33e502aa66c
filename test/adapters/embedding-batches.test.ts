import fc from "fast-check";
import { expect, test } from "vitest";
import { estimateTokens } from "../../src/adapters/embed-texts.ts";
import { groupBySize } from "../../src/adapters/group-by-size.ts";

const LIMITS = { count: 5, size: 40 };

test("batches hold every text once, in order, and keep to both limits", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 200 }), { maxLength: 40 }), (texts) => {
      const batches = groupBySize(texts, estimateTokens, LIMITS);
      expect(batches.flat()).toEqual(texts);
      for (const batch of batches) {
        expect(batch.length).toBeGreaterThan(0);
        expect(batch.length).toBeLessThanOrEqual(LIMITS.count);
        const tokens = batch.reduce((sum, text) => sum + estimateTokens(text), 0);
        expect(batch.length === 1 || tokens <= LIMITS.size).toBe(true);
      }
    }),
  );
});

test("no request could have taken the next text as well", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 100 }), { maxLength: 40 }), (texts) => {
      const batches = groupBySize(texts, estimateTokens, LIMITS);
      batches.slice(1).forEach((batch, at) => {
        const before = [...(batches[at] ?? []), batch[0] ?? ""];
        const tokens = before.reduce((sum, text) => sum + estimateTokens(text), 0);
        expect(before.length > LIMITS.count || tokens > LIMITS.size).toBe(true);
      });
    }),
  );
});

test("tokens are estimated from bytes, so that scripts with dense characters count for more", () => {
  expect(estimateTokens("const x = parseInt(text);".padEnd(35))).toBe(10);
  expect(estimateTokens("検索".repeat(10))).toBe(18);
});
