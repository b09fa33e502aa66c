// What a file of cases holds.

/** Code that a rule must speak about (bad) or not (good). Every line counts as added. */
export interface Example {
  /** A path that decides language and file kind: `src/login.py`. */
  readonly path: string;
  /** "" for a file that the change removes, where `before` says what it was. */
  readonly code: string;
  /** The file before the change; absent: the change adds it. */
  readonly before?: string;
  /** Files of the repository that the change leaves as they are, by path. */
  readonly beside?: Readonly<Record<string, string>>;
}

/** Code of an example, line by line. */
export function example(path: string, ...lines: readonly string[]): Example {
  return { path, code: lines.join("\n") };
}

interface RuleCases {
  /** docs/rules.md shows the first. */
  readonly bad: readonly Example[];
  readonly good: readonly Example[];
}

/** By rule id the code that it must speak about (bad) or stay silent about (good). */
export type Cases = Readonly<Record<string, RuleCases>>;
