// Names in code: their definitions and uses.

/** What a file defines under a name. Lines are 1-based, ends inclusive. */
export interface Definition {
  readonly name: string;
  /** A plain word: `function`, `method`, `class`, `type`, `constant`, `field`, `section`. */
  readonly kind: string;
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  /** Its first line, trimmed, at most 200 characters. */
  readonly signature: string;
}

/** A line that uses a name, outside of comments and strings. */
export interface Reference {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  /** The line, trimmed, at most 200 characters. */
  readonly text: string;
}

/** The known definitions and uses of one name. */
export interface NamedSymbol {
  readonly definitions: readonly Definition[];
  /** Without the lines that define it. */
  readonly references: readonly Reference[];
  /** Files that contain the word but were not read because the name is too common. */
  readonly unread: number;
}
