// Known facts about a model by its name: context, price, features.
import table from "./prices.json" with { type: "json" };

/** Tokens of one HTTP request, as billed. */
export interface PaidTokens {
  /** Uncached input, without tokens written to the cache. */
  readonly fresh: number;
  readonly cacheWrite: number;
  readonly cacheRead: number;
  readonly output: number;
}

export interface ModelFacts {
  /** null: unknown. */
  readonly contextTokens: number | null;
  /** The maximum tokens of one reply; null: unknown. */
  readonly outputTokens: number | null;
  readonly effort: boolean;
  /** The value that turns thinking off as far as this model allows; null: it always thinks, or only on request. */
  readonly thinkingOff: "disabled" | "between_tools" | null;
  /** US$, or null without a known price. */
  price(tokens: PaidTokens): number | null;
}

type Row = (typeof table.models)[keyof typeof table.models];
const ROWS = new Map<string, Row>(Object.entries(table.models));
const UNKNOWN: ModelFacts = {
  contextTokens: null,
  outputTokens: null,
  effort: true,
  thinkingOff: null,
  price: () => null,
};

/** @param name as the operator wrote it; a date at its end (`-20261007`, `-2026-10-07`) names a snapshot of the same model */
export function modelFacts(name: string): ModelFacts {
  const row = ROWS.get(name) ?? ROWS.get(name.replace(/-20\d{2}(?:-?\d{2}){2}$/, ""));
  if (row === undefined) return UNKNOWN;
  const { contextTokens, outputTokens, effort } = row;
  return {
    contextTokens,
    outputTokens,
    effort,
    thinkingOff: offWord(row.thinkingOff),
    price: (paid) => usd(row, paid),
  };
}

function offWord(word: string | null): ModelFacts["thinkingOff"] {
  return word === "disabled" || word === "between_tools" ? word : null;
}

/** The size of the whole prompt decides the price of all its tokens. */
function usd(row: Row, paid: PaidTokens): number | null {
  const prompt = paid.fresh + paid.cacheWrite + paid.cacheRead;
  const price = row.usd.find(({ upToTokens }) => upToTokens === null || prompt <= upToTokens);
  if (price === undefined) return null;
  const parts = [
    paid.fresh * price.input,
    paid.cacheWrite * price.cacheWrite,
    paid.cacheRead * price.cacheRead,
    paid.output * price.output,
  ];
  return parts.reduce((sum, part) => sum + part, 0) / 1_000_000;
}
