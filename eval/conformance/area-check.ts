// How one area of the conformance cases is answered by our code, and where we differ on purpose.

/** A difference that we want: a predicate over the case with its reason, never a list of inputs. */
export interface Deliberate {
  readonly name: string;
  readonly reason: string;
  readonly applies: (input: unknown, expected: unknown, actual: unknown) => boolean;
}

export interface AreaCheck {
  /** Exactly as in the cases: `language.classify`. */
  readonly area: string;
  /** Our answer in the case's own shape. */
  readonly answer: (input: unknown) => unknown;
  /** Compares; default: deep equality of the keys that the case expects. */
  readonly same?: (actual: unknown, expected: unknown) => boolean;
  readonly deliberate: readonly Deliberate[];
}
