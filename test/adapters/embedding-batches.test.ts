import fc from "fast-check";
import { expect, test } from "vitest";
import { embeddingBatches, estimateTokens } from "../../src/adapters/embed-texts.ts";

const LIMITS = { maxTexts: 5, maxTokens: 40, maxTextChars: 1_000 };

test("batches hold every text once, in order, and keep to both limits", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 200 }), { maxLength: 40 }), (texts) => {
      const batches = embeddingBatches(texts, LIMITS);
      expect(batches.flat()).toEqual(texts);
      for (const batch of batches) {
        expect(batch.length).toBeGreaterThan(0);
        expect(batch.length).toBeLessThanOrEqual(LIMITS.maxTexts);
        const tokens = batch.reduce((sum, text) => sum + estimateTokens(text), 0);
        expect(batch.length === 1 || tokens <= LIMITS.maxTokens).toBe(true);
      }
    }),
  );
});

test("no request could have taken the next text as well", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 100 }), { maxLength: 40 }), (texts) => {
      const batches = embeddingBatches(texts, LIMITS);
      batches.slice(1).forEach((batch, at) => {
        const before = [...(batches[at] ?? []), batch[0] ?? ""];
        const tokens = before.reduce((sum, text) => sum + estimateTokens(text), 0);
        expect(before.length > LIMITS.maxTexts || tokens > LIMITS.maxTokens).toBe(true);
      });
    }),
  );
});

test("tokens are estimated from bytes, so that scripts with dense characters count for more", () => {
  expect(estimateTokens("const x = parseInt(text);".padEnd(35))).toBe(10);
  expect(estimateTokens("検索".repeat(10))).toBe(18);
});
