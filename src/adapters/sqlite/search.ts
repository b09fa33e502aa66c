import type { MemoryFilter, Scope } from "../../domain/retrieval.ts";
import type { TellDegraded } from "../../ports/memory.ts";
import type { Database } from "./database.ts";

/** One question as the parts of a search share it: where to look, what may be seen, what is wanted, how much of it. */
export interface Search {
  /** Inside a read transaction, with `admits_path` set for the filter. */
  readonly db: Database.Database;
  readonly scope: Scope;
  readonly filter: MemoryFilter;
  readonly k: number;
  /** Told of what makes the answer poorer than it should be. */
  readonly tell: TellDegraded;
}
