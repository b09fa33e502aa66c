// Builds a statement from fragments of SQL with their values.

/** Collects values and gives each its `$N`. */
export interface Values {
  readonly list: readonly unknown[];
  /** The placeholder of a value; the same for an equal value. */
  at(value: unknown): string;
}

export function values(): Values {
  const list: unknown[] = [];
  return {
    list,
    at(value) {
      const known = list.indexOf(value);
      return `$${known >= 0 ? known + 1 : list.push(value)}`;
    },
  };
}
