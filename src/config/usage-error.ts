/** What a person asked for cannot be done as written. The message states what is wrong and what to write. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
