// kodiai serve: the server, for an installed package without a clone.
import { type ExitCode, readWords } from "../usage.ts";
import { VERBS } from "../verbs.ts";

/**
 * Starts the server, which reports problems of the environment itself, and ends with 2. The process
 * then runs until a signal ends it.
 *
 * @throws UsageError
 */
export async function serve(words: readonly string[]): Promise<ExitCode> {
  readWords(words, VERBS.serve.options);
  await import("../../main.ts");
  return process.exitCode === 2 ? 2 : 0;
}
