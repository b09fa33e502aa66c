import type { Definition, FileLinks, NamedSymbol } from "../domain/code/symbols.ts";
import type { Degraded } from "../domain/omissions.ts";
import type { Snapshot } from "./snapshot.ts";

export interface SoughtNames {
  readonly used: ReadonlySet<string>;
  readonly changed: ReadonlySet<string>;
  /** Paths to search around first when a name is common. */
  readonly near: readonly string[];
}

export interface FoundSymbols {
  /** By name; only names that occur in the snapshot. */
  readonly symbols: ReadonlyMap<string, NamedSymbol>;
  readonly degraded: readonly Degraded[];
}

/** Reads names in code for one review, by a grammar or by words. The code is never run. */
export interface Symbols {
  /** A file's functions, classes and sections, in order; [] if not parsed in time. Never throws. */
  outline(path: string, text: string): Promise<readonly Definition[]>;
  /** Finds where names are defined and used. Never throws; failures are in `degraded`. */
  find(snapshot: Snapshot, sought: SoughtNames): Promise<FoundSymbols>;
  /** For each of the words the files that have it, in code or not, by path. Never throws. */
  having(snapshot: Snapshot, words: ReadonlySet<string>): Promise<ReadonlyMap<string, readonly string[]>>;
  /** What a file takes, exports, imports and calls; null without grammar or time. Never throws. */
  links(path: string, text: string, called: ReadonlySet<string>): Promise<FileLinks | null>;
  /** What could not be read in time until now. */
  missed(): readonly Degraded[];
}
