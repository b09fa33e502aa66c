// What a search thread and the main thread say to each other.
import type { Degraded } from "../../domain/outcome.ts";

/** One question, by the name of what is asked. `warm` may take as long as it takes. */
export interface Request {
  readonly id: number;
  readonly ask: string;
  readonly with: readonly unknown[];
}

/** The answer to the question of the same id. `range`: the question itself was wrong; `passing`: another try may do. */
export type Reply =
  | { readonly id: number; readonly value: unknown; readonly degraded: readonly Degraded[] }
  | { readonly id: number; readonly error: string; readonly kind: "range" | "passing" | "other" };

/** Unasked: how far reading into memory has come. */
export interface Progress<Warmth> {
  readonly warmth: Warmth;
}
