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

/** What a function takes. */
export interface Takes {
  /** Its parameters in order, without a method's object; "" for one without a name. */
  readonly names: readonly string[];
  /** How many arguments a call must have; 0 where the language lets a call leave any out. */
  readonly least: number;
  /** How many it may have; null: any number. */
  readonly most: number | null;
}

/** How one file hangs together with others, by its grammar. Lines are 1-based. */
export interface FileLinks {
  /** `takes` is null where a decorator or the language decides it elsewhere. */
  readonly functions: readonly { readonly name: string; readonly line: number; readonly takes: Takes | null }[];
  /** Names that other files can import; null where the file does not list them. */
  readonly exports: readonly string[] | null;
  /** `name` is `default`, `*` for the whole module, or "" where nothing of it is named. */
  readonly imports: readonly {
    readonly from: string;
    readonly name: string;
    readonly local: string;
    readonly line: number;
  }[];
  readonly calls: readonly Call[];
}

export interface Call {
  readonly name: string;
  readonly line: number;
  /** The receiver: `users` in `users.rename()`; null without one. */
  readonly of: string | null;
  /** As they are written; null where they cannot be counted. */
  readonly args: readonly string[] | null;
}
