// What the rooms may ask of a language model. A model never throws and never decides.
import type { ModelAnswer, ModelRequest, ModelTier } from "./domain/model.ts";

/** A language model. */
export interface Model {
  /** The names that stand in the footer and in fingerprints: `claude-sonnet-5-5`. */
  readonly names: Readonly<Record<ModelTier, string>>;
  /** How many tokens a question of this tier may hold, reply included. */
  contextTokens(tier: ModelTier): number;
  /** US$ that so many tokens would cost, or null where there is no price. */
  price(tier: ModelTier, inputTokens: number, outputTokens: number): number | null;
  /** Never rejects. */
  ask<T>(request: ModelRequest<T>, signal?: AbortSignal): Promise<ModelAnswer<T>>;
}
