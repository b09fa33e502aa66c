// Exit code 1 means findings. Node also ends with 1 for an uncaught error or a failed import; those
// end with 3. This file imports nothing: it runs first, also on a Node that is too old.

/** From here on an uncaught error ends the process with 3, after its stack. */
export function guardExit(): void {
  process.off("uncaughtException", endWith3).on("uncaughtException", endWith3);
}

/** Ends the process with 3. Prints the stack only: errors of HTTP clients hold tokens. */
export function endWith3(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  // It may quote a file's name, and a terminal obeys control characters.
  process.stderr.write(`kodiai crashed: ${text.replace(/[^\P{Cc}\n\t]/gu, "?")}\n`);
  process.exit(3);
}
