import type { Definition, FileLinks, NamedSymbol } from "../domain/code/symbols.ts";
import type { Degraded } from "../domain/omissions.ts";
import type { Snapshot } from "./snapshot.ts";

/** Which names are looked for. */
export interface SoughtNames {
  /** Of these the definitions are found. */
  readonly used: ReadonlySet<string>;
  /** Of these the definitions and the lines that use them. */
  readonly changed: ReadonlySet<string>;
  /** Paths to look near first where a name is common. */
  readonly near: readonly string[];
}

export interface FoundSymbols {
  /** By name; only names that the snapshot has. */
  readonly symbols: ReadonlyMap<string, NamedSymbol>;
  readonly degraded: readonly Degraded[];
}

/** Reads names in code: by its grammar where there is one, by words elsewhere. The code is never run. */
export interface Symbols {
  /** Functions, classes and sections of one file, in its order; [] for what cannot be read in time. Never throws. */
  outline(path: string, text: string): Promise<readonly Definition[]>;
  /** Where names are defined and used. Never throws; what could not be read is in `degraded`. */
  find(snapshot: Snapshot, sought: SoughtNames): Promise<FoundSymbols>;
  /** The files that have each of the words, in code or not, by path. Never throws. */
  having(snapshot: Snapshot, words: readonly string[]): Promise<readonly string[]>;
  /**
   * What one file takes, exports and imports, and its calls of the named functions; null where it has no grammar or cannot be
   * read in time. Never throws.
   */
  links(path: string, text: string, called: ReadonlySet<string>): Promise<FileLinks | null>;
}
