// Data of one person, for the command line: list everything stored about them, and anonymise it.

/** A person by numeric id, or by login or e-mail address. */
export type NamedPerson = { readonly id: number } | { readonly login: string };

/** One row about the person: its table, and all columns. */
export interface PersonRow {
  /** `memory.db/contents`. */
  readonly kept: string;
  readonly row: Readonly<Record<string, unknown>>;
}

export interface ErasedPerson {
  /** Logins and ids under which the person was known. */
  readonly logins: number;
  readonly ids: number;
  /** Removed rows. */
  readonly removed: number;
  /** Rows that stay, without the person's identity. */
  readonly anonymised: number;
}

export interface PersonStore {
  rows(person: NamedPerson): Promise<readonly PersonRow[]>;
  /** @param texts also removes what they wrote, not only their identity */
  erase(person: NamedPerson, texts: boolean): Promise<ErasedPerson>;
}
