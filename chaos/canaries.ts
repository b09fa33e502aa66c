// Words that must not be seen in certain places, and how they are found there.

export interface Canaries {
  /** Canary → `secret`, or the repository (OWNER/NAME) that alone may see it. */
  readonly owners: Map<string, string>;
  /** The canaries in a text. */
  in(text: string): readonly string[];
}

export function newCanaries(): Canaries {
  const owners = new Map<string, string>();
  return {
    owners,
    in: (text) => [...owners.keys()].filter((canary) => text.includes(canary)),
  };
}
