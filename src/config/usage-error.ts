/** What a person asked for cannot be done as written. The message says what to write. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
