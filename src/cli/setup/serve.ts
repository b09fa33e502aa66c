// kodiai serve: the server, for an installed package without a clone.
import { type ExitCode, readWords } from "../usage.ts";
import { VERBS } from "../verbs.ts";

/**
 * Starts the server; the process then runs until a signal ends it. The server itself reports problems of the environment, and
 * ends with 2.
 *
 * @throws UsageError
 */
export async function serve(words: readonly string[]): Promise<ExitCode> {
  readWords(words, VERBS.serve.options);
  await import("../../main.ts");
  return process.exitCode === 2 ? 2 : 0;
}
