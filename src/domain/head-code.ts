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

// Lines of the repository as they may leave: the one way in which a model gets to see those that the diff does not show.

/** Lines of files with their secrets masked. */
export type MaskedLines = (path: string) => Promise<readonly string[] | null>;

/**
 * Reads files of the head. Whole files are masked before lines are taken out: a line from within a key shows nothing by itself.
 *
 * @param mask see Model; the number of lines stays
 */
export function maskedLines(head: Pick<HeadCode, "text">, mask: (text: string) => Promise<string>): MaskedLines {
  const read = new Map<string, Promise<readonly string[] | null>>();
  const masked = async (path: string) => {
    const text = await head.text(path);
    return text === null ? null : (await mask(text)).replace(/\n$/, "").split(/\r?\n/);
  };
  return (path) => {
    const lines = read.get(path) ?? masked(path);
    read.set(path, lines);
    return lines;
  };
}
