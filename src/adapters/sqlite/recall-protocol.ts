// What the two threads of recall say to each other.
import type { Degraded } from "../../domain/outcome.ts";
import type { MemorySearch, SearchLimits } from "./search-memory.ts";
import type { Warmth } from "./warm-up.ts";

/** What the search thread is started with. */
export interface SearchSettings {
  readonly path: string;
  readonly limits: SearchLimits;
}

type Question = Omit<MemorySearch, "close" | "readMore" | "warmth">;

/** One question, by the name of the method it asks. */
export type Request = {
  readonly [M in keyof Question]: { readonly id: number; readonly ask: M; readonly with: Parameters<Question[M]> };
}[keyof Question];

/** The answer to the question of the same id. `range` marks what was wrong with the question itself. */
export type Reply =
  | { readonly id: number; readonly value: unknown; readonly degraded: readonly Degraded[] }
  | { readonly id: number; readonly error: string; readonly range: boolean };

/** Unasked: how far reading into memory has come. */
export interface Progress {
  readonly warmth: Warmth;
}
