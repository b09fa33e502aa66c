// The repository at the head of a change, as a review may read it besides the change. It is never run.
import type { NamedSymbol } from "./code/symbols.ts";
import type { Degraded } from "./omissions.ts";

export interface HeadCode {
  /** Text files by path; nothing else can be read. */
  readonly files: ReadonlyMap<string, { readonly bytes: number }>;
  /** UTF-8 text of a file; null where `files` does not have it or it is binary. */
  text(path: string): Promise<string | null>;
  /** Where a name is defined and used; null where the repository does not have it. */
  named(name: string): Promise<NamedSymbol | null>;
}

/** What came of reading it. */
export interface ReadHead {
  /** Null where it could not be read, or need not be. */
  readonly code: HeadCode | null;
  readonly degraded: readonly Degraded[];
}
