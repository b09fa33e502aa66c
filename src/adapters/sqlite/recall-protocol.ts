// What the search threads of an embedded memory are started with and asked.
import type { MemorySearch, SearchLimits } from "./search-memory.ts";

export interface SearchSettings {
  readonly path: string;
  readonly limits: SearchLimits;
}

type Question = Omit<MemorySearch, "close" | "readMore" | "warmth">;

/** One question, by the name of the method it asks. */
export type Request = {
  readonly [M in keyof Question]: { readonly id: number; readonly ask: M; readonly with: Parameters<Question[M]> };
}[keyof Question];
