// What Voyage AI charges, as of a day. Change the day together with the figures.

/** US$ for a million tokens, beyond the free allowance of an account. */
export const VOYAGE_PRICES = {
  asOf: "2026-11-21",
  source: "https://docs.voyageai.com/docs/pricing",
  usdPerMillionTokens: new Map<string, number>([
    ["voyage-code-3", 0.18],
    ["voyage-context-3", 0.18],
    ["voyage-4-large", 0.12],
    ["voyage-4", 0.06],
    ["voyage-4-lite", 0.02],
    ["rerank-2.5", 0.05],
    ["rerank-2.5-lite", 0.02],
  ]),
} as const;

/** 0 for a model that the list does not know: its tokens are counted all the same. */
export function voyagePrice(model: string): number {
  return VOYAGE_PRICES.usdPerMillionTokens.get(model) ?? 0;
}
