// What the command line may ask about one person: everything that is kept, and to have it no longer tell who they are.

/** Whom: by numeric id, or by login or e-mail address. */
export type NamedPerson = { readonly id: number } | { readonly login: string };

/** One row that tells of the person: where it is kept, and all of it. */
export interface PersonRow {
  /** `memory.db/contents`. */
  readonly kept: string;
  readonly row: Readonly<Record<string, unknown>>;
}

export interface ErasedPerson {
  /** Under which logins and ids the person was known. */
  readonly logins: number;
  readonly ids: number;
  /** Rows that went. */
  readonly removed: number;
  /** Rows that stay without telling who it was. */
  readonly anonymised: number;
}

/** What was written anew; bytes with indexes. */
export interface RewrittenTables {
  readonly tables: number;
  readonly before: number;
  readonly after: number;
}

export interface PersonBooks {
  /** Has no file hold what was erased or forgotten before; null where erasing does that by itself. */
  rewrite(): Promise<RewrittenTables | null>;
  rows(person: NamedPerson): Promise<readonly PersonRow[]>;
  /** @param texts also what they wrote is removed, not only who wrote it */
  erase(person: NamedPerson, texts: boolean): Promise<ErasedPerson>;
}
