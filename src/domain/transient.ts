/** Worth another try later: 429, 5xx, a timeout, a lock. The only error of its own that an adapter may throw. */
export class Transient extends Error {
  override readonly name = "Transient";
  /** Epoch milliseconds before which another try is pointless, or null when the caller decides. */
  readonly notBefore: number | null;

  constructor(message: string, notBefore: number | null = null, cause?: unknown) {
    super(message, { cause });
    this.notBefore = notBefore;
  }
}
