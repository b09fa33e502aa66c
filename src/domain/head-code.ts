// The repository at the head of a change, for a review to read. It is never run.
import type { NamedSymbol } from "./code/symbols.ts";
import type { Degraded } from "./omissions.ts";

export interface HeadCode {
  /** Text files by path; nothing else can be read. */
  readonly files: ReadonlyMap<string, { readonly bytes: number }>;
  /** UTF-8 text of a file; null when `files` lacks it or it is binary. */
  text(path: string): Promise<string | null>;
  /** Where a name is defined and used; null when the repository lacks it. */
  named(name: string): Promise<NamedSymbol | null>;
}

/** The result of reading the head. */
export interface ReadHead {
  /** Null when it could not be read, or was not needed. */
  readonly code: HeadCode | null;
  readonly degraded: readonly Degraded[];
}
